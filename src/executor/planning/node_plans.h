// Plans the nodes of a graph one by one: their kernels, feeds and fetches, and where their values lie.
#ifndef DFRUN_SRC_EXECUTOR_PLANNING_NODE_PLANS_H_
#define DFRUN_SRC_EXECUTOR_PLANNING_NODE_PLANS_H_

#include <memory>
#include <utility>
#include <vector>

#include "src/executor/plan/plan.h"
#include "src/graph/graph.h"

namespace dfrun {

struct NodePlan {
  const KernelDef* def = nullptr;  // null: the run loop does the node itself
  Kernel* kernel = nullptr;
  Tensor fixed;               // output 0, if it is the same in every step
  Output value;               // source of the output when the node has no slot; else invalid
  bool is_settled = false;    // all it gives is there before the step runs: no node of the plan
  bool is_invariant = false;  // an Enter whose value is there before an iteration begins
  int32_t feed = -1;          // an _Arg's index
  int32_t fetch = -1;         // a _Retval's index
  ControlFlowKind control_flow = ControlFlowKind::kNone;
  uint32_t number = 0;      // in its frame
  uint32_t first_slot = 0;  // in the frame that its outputs belong to

  bool has_fixed() const { return fixed.initialized() || fixed.is_reference(); }
  // Whether it neither computes nor decides anything.
  bool is_idle() const {
    if (control_flow == ControlFlowKind::kLoopCond) return value.valid();
    return control_flow == ControlFlowKind::kNone && feed < 0 && fetch < 0 && (def == nullptr || has_fixed());
  }
  // Whether those that read it must wait for it.
  bool is_awaited() const { return !is_settled && !is_invariant; }
};

// A NodePlan a node. Thread safety: one thread.
class NodePlans {
 public:
  // All arguments must outlive the object.
  NodePlans(const Graph& graph, Device& device, const KernelRegistry& kernels, const PlanOptions& options,
            ExecPlan& plan)
      : graph_(graph), device_(device), registry_(kernels), options_(options), plan_(plan) {}

  // Takes the kernels of units. Call before Make().
  void TakeSubgraphs(std::vector<std::unique_ptr<Kernel>> subgraphs) { subgraphs_ = std::move(subgraphs); }
  // Makes the node plans but for numbers and slots, and the plan's kernels, infos, feeds and fetches. The plan knows
  // whether it has control flow. Errors name the node.
  Status Make();
  NodePlan& operator[](NodeId node) { return node_plans_[node]; }
  const NodePlan& operator[](NodeId node) const { return node_plans_[node]; }

  // The output in whose slot a value lies that some node reads.
  Output ValueOf(Output value) const {
    return node_plans_[value.node].value.valid() ? node_plans_[value.node].value : value;
  }
  // Whether the value has a slot that is released after its last reader.
  bool IsCounted(Output value) const;
  // Bytes of a value that gets a fixed place in the step; -1 for others.
  int64_t ArenaBytes(Output value) const;

 private:
  Status MakeNodePlan(const Node& node);
  Status AddFeed(const Node& node);
  Status AddFetch(const Node& node);
  Status MakeKernel(const Node& node);
  Status TakeSubgraph(const Node& node);
  Status CheckMerge(const Node& node);
  bool IsPassthrough(const Node& node) const;
  Status FindValues();
  int64_t MostArenaBytes(ControlFlowKind control_flow) const;

  const Graph& graph_;
  Device& device_;
  const KernelRegistry& registry_;
  const PlanOptions& options_;
  ExecPlan& plan_;
  std::vector<NodePlan> node_plans_;
  std::vector<bool> is_fetched_;                    // by index of a _Retval
  std::vector<std::unique_ptr<Kernel>> subgraphs_;  // kernels of units, until their nodes are made
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_PLANNING_NODE_PLANS_H_
