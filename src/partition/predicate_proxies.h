// Finds values whose deadness tells another device whether a loop goes on.
//
// A value that depends on the true side of a Switch on a loop's condition is alive exactly in the iterations whose
// condition is true, if the input of the Switch is alive in them. A device that receives such a value, and does nothing
// in an iteration before, need not receive the condition too: a dead value tells it that the loop has ended.
#ifndef DFRUN_SRC_PARTITION_PREDICATE_PROXIES_H_
#define DFRUN_SRC_PARTITION_PREDICATE_PROXIES_H_

#include <string>
#include <vector>

#include "src/graph/control_flow.h"

namespace dfrun {

// The proxies in one graph.
// Thread safety: one thread.
class PredicateProxies {
 public:
  // Looks at the graph once: nodes that are added later are unknown to it. `graph` and `tree` outlive it.
  PredicateProxies(const Graph& graph, const FrameTree& tree, const std::vector<NodeId>& order);

  // Returns a value of `cond`'s loop that is sent to `device` and is alive in an iteration exactly where `cond` is
  // true. Invalid if there is none, and if `device` reads `cond` itself or has work that does not wait for the value,
  // as the device of `cond` has.
  Output Find(const std::string& device, NodeId cond) const;

 private:
  ControlFlowKind KindOf(NodeId id) const { return graph_.node(id).op->traits.control_flow; }
  bool IsIn(NodeId id, int32_t frame) const;
  void FindSteering();
  bool IsLive(const Node& node) const;
  bool IsLive(Output value) const;
  bool IsTrueSide(Output value) const;
  bool DependsOn(Output signal, const std::string& device, int32_t frame) const;

  const Graph& graph_;
  const FrameTree& tree_;
  const std::vector<NodeId>& order_;
  std::vector<bool> may_be_dead_;  // by node: in some step
  std::vector<bool> steers_;       // by node: where it is dead, so is the condition of its loop
  std::vector<bool> live_;         // by node: alive in each iteration of its loop whose condition is true
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PARTITION_PREDICATE_PROXIES_H_
