#include "src/partition/deadness.h"

#include <algorithm>

#include "src/graph/control_flow.h"

namespace dfrun {

std::vector<bool> FindDeadness(const Graph& graph, const std::vector<NodeId>& order) {
  std::vector<bool> may_be_dead(static_cast<size_t>(graph.num_nodes()), false);
  for (NodeId id : order) {
    const Node& node = graph.node(id);
    const ControlFlowKind kind = node.op->traits.control_flow;
    const bool begins = kind == ControlFlowKind::kSwitch || kind == ControlFlowKind::kEnter;
    const auto dead = [&](NodeId source) { return source >= 0 && may_be_dead[source]; };
    may_be_dead[id] = kind != ControlFlowKind::kControlTrigger &&
                      (begins || std::any_of(node.control_inputs.begin(), node.control_inputs.end(), dead) ||
                       std::any_of(node.inputs.begin(), node.inputs.end(), [&](Output o) { return dead(o.node); }));
  }
  return may_be_dead;
}

}  // namespace dfrun
