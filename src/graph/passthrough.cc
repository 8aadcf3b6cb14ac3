#include "src/graph/passthrough.h"

namespace dfrun {
namespace {

// Returns true for the Merge of a conditional, which gives one of several values. The Merge of a loop, whose other
// input is a back edge or not connected yet, gives a value like its first.
bool MayDiffer(const Graph& graph, const Node& node) {
  if (node.op->traits.control_flow != ControlFlowKind::kMerge) return false;
  for (int i = 1; i < node.num_inputs(); ++i) {
    if (node.inputs[i].valid() && !graph.IsBackEdge(node, i)) return true;
  }
  return false;
}

bool HandsOn(const Node& node) {
  return node.op->traits.passthrough != Passthrough::kNone;
}

}  // namespace

Output PassthroughInput(const Graph& graph, Output value) {
  const Node& node = graph.node(value.node);
  if (!HandsOn(node) || node.inputs.empty() || MayDiffer(graph, node)) return {-1, 0};
  return node.inputs[node.op->traits.passthrough == Passthrough::kEachInput ? value.port : 0];
}

Output PassthroughSource(const Graph& graph, Output value) {
  for (int hops = 0; value.valid() && hops < graph.num_nodes(); ++hops) {
    if (!HandsOn(graph.node(value.node))) return value;
    value = PassthroughInput(graph, value);
  }
  return {-1, 0};
}

}  // namespace dfrun
