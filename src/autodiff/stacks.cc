#include "src/autodiff/stacks.h"

#include "src/graph/control_flow.h"

namespace dfrun {
namespace {

NodeId MakerOf(const Graph& graph, NodeId user) {
  NodeId at = graph.node(user).inputs[0].node;
  while (true) {
    const Node& node = graph.node(at);
    const ControlFlowKind kind = node.op->traits.control_flow;
    if (kind == ControlFlowKind::kMerge) {
      at = node.inputs[graph.IsBackEdge(node, 0) ? 1 : 0].node;
    } else if (kind == ControlFlowKind::kEnter || kind == ControlFlowKind::kSwitch ||
               (kind == ControlFlowKind::kNone && node.op->traits.passthrough == Passthrough::kFirstInput)) {
      at = node.inputs[0].node;
    } else {
      return at;
    }
  }
}

}  // namespace

bool IsStackPush(const Node& node) {
  return node.op->name == "StackPushV2" || node.op->name == "StackPush";
}

bool IsStackPop(const Node& node) {
  return node.op->name == "StackPopV2" || node.op->name == "StackPop";
}

Stacks::Stacks(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    const bool pushes = IsStackPush(node);
    if (!pushes && !IsStackPop(node)) continue;
    const NodeId stack = MakerOf(graph, node.id);
    stack_of_[node.id] = stack;
    (pushes ? users_[stack].pushes : users_[stack].pops).push_back(node.id);
  }
}

}  // namespace dfrun
