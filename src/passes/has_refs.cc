#include "src/passes/has_refs.h"

namespace dfrun {

std::vector<NodeId> ReadersOfVariable(const Graph& graph, const Consumers& consumers, NodeId variable) {
  std::vector<NodeId> found = {variable};
  for (size_t i = 0; i < found.size(); ++i) {
    for (const Consumers::Edge& edge : consumers.of(found[i])) {
      if (edge.port < 0 || std::find(found.begin(), found.end(), edge.node) != found.end()) continue;
      const Output output{found[i], edge.port};
      if (graph.is_ref(output) || graph.dtype(output) == DType::kResource) found.push_back(edge.node);
    }
  }
  return found;
}

}  // namespace dfrun
