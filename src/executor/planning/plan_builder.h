// Makes an ExecPlan from a graph, in the order of its methods.
#ifndef DFRUN_SRC_EXECUTOR_PLANNING_PLAN_BUILDER_H_
#define DFRUN_SRC_EXECUTOR_PLANNING_PLAN_BUILDER_H_

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "src/executor/plan/plan.h"
#include "src/executor/planning/plan_edges.h"

namespace dfrun {

// Thread safety: one thread. All arguments outlive it.
class PlanBuilder {
 public:
  PlanBuilder(const Graph& graph, Device& device, const KernelRegistry& kernels, const PlanOptions& options,
              ExecPlan& plan)
      : graph_(graph),
        device_(device),
        options_(options),
        plan_(plan),
        node_plans_(graph, device, kernels, options, plan),
        edges_(graph, node_plans_) {}
  // The kernels of units (capture_partition.h), by number, which the plan gets.
  PlanBuilder& WithSubgraphs(std::vector<std::unique_ptr<Kernel>> subgraphs) {
    node_plans_.TakeSubgraphs(std::move(subgraphs));
    return *this;
  }
  Status Build();

 private:
  // Facts about a frame's slots while the plan is built; the vectors are by slot.
  struct FrameDraft {
    std::vector<int32_t> readers;              // nodes that read it, where it is counted; else -1
    std::vector<int32_t> counter;              // Release::counter
    std::map<NodeId, uint32_t> settled_slots;  // slots of frame 0's values that are the same in every step
  };

  Status FindFrames();
  // the order in which one thread runs them
  void NumberNodes();
  // slots and where their memory is
  Status AssignSlots();
  void AssignSlot(const Node& node, int output, int32_t frame, uint32_t slot);
  Status ShareSettledValues();
  Status ShareSettledValue(const Node& reader, Output value);
  void CountReaders();
  // records
  Status AddBlockingInfo(const Node& node);
  void WriteNode(const Node& node);
  void WriteEdges(NodeId source);
  void WriteDataflowEdges(NodeId source);
  void WriteReleases(const Node& node);
  int32_t InitialPending(const Node& node) const;
  // The edges that a node waits for beyond InitialPending() in every iteration of a loop but the first.
  int32_t PendingLater(const Node& node) const;
  uint32_t Flags(const Node& node, NodeDetail& detail);
  int32_t ControlFlowIndex(const Node& node);
  uint32_t CopiedBytes(const Node& node) const;
  void FindLoopPrograms();
  void UseExchangeMemory();

  // Calls visit(slot, input) for each counted slot that the node reads; input is -1 where several inputs are the slot.
  template <class Visit>
  void ForEachCountedInput(const Node& node, Visit visit);
  // The slot of an input, in the frame of the node that reads it.
  uint32_t SlotOf(NodeId reader, Output input) const;
  int32_t FrameOf(NodeId node) const { return tree_.of_node[node]; }
  int32_t OutputFrame(NodeId node) const { return std::max(tree_.of_outputs[node], 0); }

  const Graph& graph_;
  Device& device_;
  const PlanOptions& options_;
  ExecPlan& plan_;

  NodePlans node_plans_;
  PlanEdges edges_;
  std::vector<NodeId> order_;  // the plan's nodes, in order of running
  FrameTree tree_;
  std::vector<FrameDraft> frames_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_PLANNING_PLAN_BUILDER_H_
