// Makes an ExecPlan from a graph, in the order of its methods.
#ifndef DFRUN_SRC_EXECUTOR_PLAN_BUILDER_H_
#define DFRUN_SRC_EXECUTOR_PLAN_BUILDER_H_

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "src/executor/plan.h"

namespace dfrun {

// Thread safety: one thread. All arguments outlive it.
class PlanBuilder {
 public:
  PlanBuilder(const Graph& graph, Device& device, const KernelRegistry& kernels, const PlanOptions& options,
              ExecPlan& plan)
      : graph_(graph), device_(device), registry_(kernels), options_(options), plan_(plan) {}
  Status Build();

 private:
  // What becomes of a node of the graph.
  struct Draft {
    const KernelDef* def = nullptr;  // null: the run loop does the node itself
    Kernel* kernel = nullptr;
    Tensor fixed;             // of output 0, where it is the same in every step
    bool is_settled = false;  // all it gives is there before the step runs: no node of the plan
    int32_t feed = -1;        // of an _Arg
    int32_t fetch = -1;       // of a _Retval
    ControlFlowKind flow = ControlFlowKind::kNone;
    uint32_t number = 0;      // in its frame
    uint32_t first_slot = 0;  // in the frame that its outputs belong to
  };

  // Of a frame, by slot.
  struct FrameDraft {
    std::vector<int32_t> readers;              // nodes that read it, where it is counted; else -1
    std::vector<int32_t> counter;              // Release::counter
    std::map<NodeId, uint32_t> settled_slots;  // of values of frame 0 that are the same in every step
  };

  // kernels, infos, feeds and fetches
  Status DraftNodes();
  Status DraftNode(const Node& node);
  Status FindFrames();
  Status CheckMerge(const Node& node);
  Status DraftFeed(const Node& node);
  Status DraftFetch(const Node& node);
  Status MakeKernel(const Node& node);
  // Bytes of an output that gets a fixed place in the step; -1 for others.
  int64_t PlacedBytes(const Node& node, int output) const;
  int64_t MostPlacedBytes(ControlFlowKind flow) const;
  // edges among the nodes that are left, and the order in which one thread runs them
  Status NumberNodes();
  void CountPending();
  void CountFlowPending();
  std::vector<NodeId> Roots() const;
  void NumberWithinFrames();
  // slots and where their memory is
  Status AssignSlots();
  void AssignSlot(const Node& node, int output, int32_t frame, uint32_t slot);
  Status ShareSettledValues();
  void CountReaders();
  // records
  void WriteNode(const Node& node);
  void WriteEdges(const Node& node);
  void WriteFlowEdges(const Node& node);
  void WriteReleases(const Node& node);
  int32_t InitialPending(const Node& node) const;
  uint32_t Flags(const Node& node, NodeDetail& detail);
  int32_t FlowIndex(const Node& node);
  uint32_t CopiedBytes(const Node& node) const;
  void FindStraightLoops();

  // Calls visit(reader) for each node that waits for `id`, once.
  template <class Visit>
  void ForEachReader(NodeId id, Visit visit);
  // Calls visit(slot, input) for each counted slot that the node reads; input is -1 where several inputs are the slot.
  template <class Visit>
  void ForEachCountedInput(const Node& node, Visit visit);
  // The slot of an input, in the frame of the node that reads it.
  uint32_t SlotOf(NodeId reader, Output o) const;
  int32_t FrameOf(NodeId node) const { return tree_.of_node[node]; }
  int32_t OutputFrame(NodeId node) const { return std::max(tree_.of_outputs[node], 0); }
  // What an edge makes its reader wait for: nothing where the value is there when an iteration begins.
  bool IsWaitedFor(NodeId source) const;

  const Graph& graph_;
  Device& device_;
  const KernelRegistry& registry_;
  const PlanOptions& options_;
  ExecPlan& plan_;

  std::vector<Draft> drafts_;     // by node of the graph
  std::vector<bool> is_fetched_;  // by index of a _Retval
  Consumers consumers_;
  std::vector<NodeId> last_source_;  // by reader: the node that ForEachReader() was last called for
  std::vector<int32_t> pending_;     // by node of the graph: nodes that it waits for
  std::vector<NodeId> order_;        // of the plan's nodes
  FrameTree tree_;
  std::vector<FrameDraft> frames_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_PLAN_BUILDER_H_
