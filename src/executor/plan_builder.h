// Makes an ExecPlan from a graph, in the order of its methods.
#ifndef DFRUN_SRC_EXECUTOR_PLAN_BUILDER_H_
#define DFRUN_SRC_EXECUTOR_PLAN_BUILDER_H_

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
    uint32_t number = 0;      // in the plan
    uint32_t first_slot = 0;
  };

  // kernels, infos, feeds and fetches
  Status DraftNodes();
  Status DraftNode(const Node& node);
  Status DraftFeed(const Node& node);
  Status DraftFetch(const Node& node);
  Status MakeKernel(const Node& node);
  // Bytes of an output that gets a fixed place in the step; -1 for others.
  int64_t PlacedBytes(const Node& node, int output) const;
  // edges among the nodes that are left, and the order in which one thread runs them
  Status NumberNodes();
  void CountPending();
  std::vector<NodeId> Roots() const;
  // slots and where their memory is
  void AssignSlots();
  void AssignSlot(const Node& node, int output, uint32_t slot);
  void CountReaders();
  // records
  void WriteNode(const Node& node);
  void WriteReleases(const Node& node);
  uint32_t Flags(const Node& node, NodeDetail& detail);

  // Calls visit(reader) for each node that waits for `id`, once.
  template <class Visit>
  void ForEachReader(NodeId id, Visit visit);
  // Calls visit(slot, input) for each counted slot that the node reads; input is -1 where several inputs are the slot.
  template <class Visit>
  void ForEachCountedInput(const Node& node, Visit visit);
  uint32_t SlotOf(Output o) const { return drafts_[o.node].first_slot + static_cast<uint32_t>(o.port); }

  const Graph& graph_;
  Device& device_;
  const KernelRegistry& registry_;
  const PlanOptions& options_;
  ExecPlan& plan_;

  std::vector<Draft> drafts_;     // by node of the graph
  std::vector<bool> is_fetched_;  // by index of a _Retval
  Consumers consumers_;
  std::vector<NodeId> last_source_;    // by reader: the node that ForEachReader() was last called for
  std::vector<int32_t> pending_;       // by node of the graph: nodes that it waits for
  std::vector<NodeId> order_;          // of the plan's nodes
  std::vector<int32_t> slot_readers_;  // by slot: nodes that read it, where it is counted; else -1
  std::vector<int32_t> slot_counter_;  // by slot: Release::counter
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_PLAN_BUILDER_H_
