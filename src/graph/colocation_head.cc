#include "src/graph/colocation_head.h"

namespace dfrun {

const Node& HeadOfColocation(const Graph& graph, const Node& node) {
  NodeId head = node.id;
  for (int i = 0; i < graph.num_nodes() && !graph.node(head).colocate_with.empty(); ++i) {
    const NodeId next = graph.Find(graph.node(head).colocate_with);
    if (next < 0) break;  // the placer will say so
    head = next;
  }
  return graph.node(head);
}

}  // namespace dfrun
