// The edges of a plan, and the order in which one thread runs its nodes.
//
// Repeated edges between two nodes are dropped. Without control flow one is left, since an edge only tells readiness;
// with control flow one is left for each output that may be dead apart from others.
//
// With control flow, a node that does nothing but wait for one thing (an Identity, a LoopCond, a NoOp, a constant that
// a control edge ties to a branch or to an iteration) is no node of the plan: those behind it wait for that thing.
#ifndef DFRUN_SRC_EXECUTOR_PLANNING_PLAN_EDGES_H_
#define DFRUN_SRC_EXECUTOR_PLANNING_PLAN_EDGES_H_

#include <span>
#include <vector>

#include "src/executor/planning/node_plans.h"
#include "src/graph/graph.h"

namespace dfrun {

// Thread safety: one thread.
class PlanEdges {
 public:
  // `port`: the source's output that the edge dies with; -1: only with the whole source. `input`: of the reader; -1: a
  // control edge.
  using Edge = Consumers::Edge;

  // Both arguments must outlive the object. `node_plans`: by node, complete but for numbers and slots when Find() is
  // called.
  PlanEdges(const Graph& graph, const NodePlans& node_plans) : graph_(graph), node_plans_(node_plans) {}

  // InvalidArgument names a node in or behind a cycle.
  Status Find(bool has_control_flow);
  // The plan's nodes, each behind those that it waits for.
  const std::vector<NodeId>& order() const { return order_; }
  // The edges to the nodes that wait for the node; for a constant Enter, also to those that would find it dead.
  std::span<const Edge> of(NodeId source) const { return edges_.of(source); }
  // Whether the node is one of the plan's.
  bool IsInPlan(NodeId id) const { return !node_plans_[id].is_settled && !passed_[id].valid(); }
  // Edges that a node waits for; those that close loops do not count.
  int32_t num_awaited(NodeId reader) const { return num_awaited_[reader]; }

 private:
  Status FindPassed();
  Output OnlySource(const Node& node) const;
  // The source that the readers of a value, or the nodes behind a node (port -1), wait for.
  Output SourceOf(Output value) const { return passed_[value.node].valid() ? passed_[value.node] : value; }
  void Collect();
  template <class Visit>
  void ForEachEdge(Visit visit) const;
  void DropRepeated();
  void PutReceivesFirst();
  bool Repeats(const Edge& before, const Edge& edge) const;
  void CountAwaited();
  template <class Visit>
  void ForEachAwaiting(NodeId source, Visit visit) const;
  std::vector<NodeId> Roots() const;
  Status FindOrder();

  const Graph& graph_;
  const NodePlans& node_plans_;
  bool has_control_flow_ = false;
  std::vector<Output> passed_;  // by node: the source that the readers of a left-out node wait for; else invalid
  Consumers edges_;
  std::vector<int32_t> num_awaited_;
  std::vector<NodeId> order_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_PLANNING_PLAN_EDGES_H_
