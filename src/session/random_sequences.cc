#include "src/session/random_sequences.h"

#include <algorithm>

namespace dfrun {

// Queues that shuffle have seeds too, but hand out a reference or a resource.
bool HasRandomSequence(const Node& node) {
  if (!node.op->is_stateful || node.op->FindAttr("seed") == nullptr || node.op->FindAttr("seed2") == nullptr)
    return false;
  return std::none_of(node.output_types.begin(), node.output_types.end(),
                      [](const TypedArg& out) { return out.is_ref || out.dtype == DType::kResource; });
}

void ShareRandomPositions(Graph& graph, int64_t session) {
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    Node& node = graph.mutable_node(id);
    if (HasRandomSequence(node) && !node.attrs.Has("_position")) {
      node.attrs.Set("_position", StrCat(node.name, " of session ", session));
    }
  }
}

}  // namespace dfrun
