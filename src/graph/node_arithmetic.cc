#include "src/graph/node_arithmetic.h"

#include <algorithm>

namespace dfrun {

void SetArithmetic(const Arithmetic& arithmetic, Graph& graph) {
  if (arithmetic == Arithmetic()) return;
  const auto is_floating = [](const TypedArg& output) { return IsFloating(output.dtype); };
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    Node& node = graph.mutable_node(id);
    if (std::any_of(node.output_types.begin(), node.output_types.end(), is_floating)) arithmetic.SetOn(node.attrs);
  }
}

}  // namespace dfrun
