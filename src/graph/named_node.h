// Finds nodes by the names that users write.
#ifndef DFRUN_SRC_GRAPH_NAMED_NODE_H_
#define DFRUN_SRC_GRAPH_NAMED_NODE_H_

#include <string_view>

#include "src/graph/graph.h"

namespace dfrun {

// The node of this name. NotFound suggests the nearest name; InvalidArgument for an output, "name:port".
inline Result<NodeId> NamedNode(const Graph& graph, std::string_view name) {
  if (const NodeId id = graph.Find(name); id >= 0) return id;
  DF_ASSIGN(const Output output, graph.ParseOutput(name));
  return InvalidArgument("'", name, "' is an output, not a node: write '", graph.node(output.node).name, "'");
}

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_NAMED_NODE_H_
