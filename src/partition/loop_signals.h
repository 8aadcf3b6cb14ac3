// Values that tell another device by themselves whether a loop goes on.
//
// What stands behind the true side of a Switch on a loop's condition is alive in just the iterations that the condition
// lets go on, if what the Switch reads is alive in them. A device that gets such a value, and does nothing in an
// iteration before, need not get the condition too: a dead value tells it of the end.
#ifndef DFRUN_SRC_PARTITION_LOOP_SIGNALS_H_
#define DFRUN_SRC_PARTITION_LOOP_SIGNALS_H_

#include <string>
#include <vector>

#include "src/graph/control_flow.h"

namespace dfrun {

class LoopSignals {
 public:
  // Of `graph` as it is now: nodes that are added later are not looked at. Both outlive it.
  LoopSignals(const Graph& graph, const FrameTree& tree, const std::vector<NodeId>& order);

  // A value of `cond`'s loop that is sent to `device` and alive in an iteration just where `cond` is true. Not valid
  // where there is none, or where `device` reads `cond` itself or has something to do before, as `cond`'s own has.
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
  std::vector<bool> steers_;       // by node: the condition of its loop is dead where it is
  std::vector<bool> live_;         // by node: alive in each iteration of its loop whose condition is true
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PARTITION_LOOP_SIGNALS_H_
