// The nodes of a training step by their part in it: those that run before the gradient of the loss is known, and those
// that need it. Values of the former, read by the latter, are what a step keeps longest.
#ifndef DFRUN_SRC_PASSES_RECOMPUTE_GRADIENT_STEP_H_
#define DFRUN_SRC_PASSES_RECOMPUTE_GRADIENT_STEP_H_

#include <cstdint>
#include <span>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// A late node depends on the gradient of the loss, all others are early.
// Invariant: no early node depends on a late one.
// Thread safety: const methods from any thread. The graph may get further nodes, and edges to them.
class GradientStep {
 public:
  // `first_gradient`: the nodes from this one on compute gradients (AddGradients()). `wanted`: the values that a step
  // gives, the gradients among them. InvalidArgument where the graph has a cycle that is no loop.
  static Result<GradientStep> Of(const Graph& graph, NodeId first_gradient, std::vector<Output> wanted);

  // The nodes of the step, each after those that it depends on: the early ones first.
  const std::vector<NodeId>& order() const { return order_; }
  size_t num_early() const { return num_early_; }
  // The node's place in order(); -1: it is not of the step.
  int32_t PlaceOf(NodeId id) const { return place_[static_cast<size_t>(id)]; }
  bool IsLate(NodeId id) const { return PlaceOf(id) >= static_cast<int32_t>(num_early_); }
  const std::vector<Output>& wanted() const { return wanted_; }

  // Whether the node's values may be computed a second time, and are the same then. False for nodes that draw, write,
  // wait, use a queue or a resource, or read a variable that the graph writes; for those behind conditionals and loops,
  // where a value may be dead; and for late ones.
  bool MayRecompute(NodeId id) const { return may_recompute_[static_cast<size_t>(id)]; }
  // The node for whose end that which the late node alone needs may wait: the last of the late ones that it depends on
  // itself, and that computes in every step. -1: there is none.
  NodeId TriggerOf(NodeId late) const { return triggers_[static_cast<size_t>(late)]; }
  // Whether the end of the node, a late one, may be waited for: it computes in every step, and its value is not dead.
  bool MayBeAwaited(NodeId id) const { return may_be_awaited_[static_cast<size_t>(id)]; }

 private:
  GradientStep() = default;

  void FindOrder(const Graph& graph, NodeId first_gradient, std::span<const NodeId> all);
  void FindTriggers(const Graph& graph, const std::vector<bool>& behind_flow);
  void FindRepeatable(const Graph& graph, const std::vector<bool>& behind_flow);

  std::vector<Output> wanted_;
  std::vector<NodeId> order_;
  size_t num_early_ = 0;
  std::vector<int32_t> place_;  // by node, as the next ones
  std::vector<bool> may_recompute_;
  std::vector<bool> may_be_awaited_;
  std::vector<NodeId> triggers_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_RECOMPUTE_GRADIENT_STEP_H_
