#include "src/graph/node_order.h"

namespace dfrun {
namespace {

// Calls visit(source) for the source of each edge into a node, back edges of loops aside.
template <class Visit>
void ForEachSource(const Graph& graph, const Node& node, Visit&& visit) {
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (node.inputs[i].valid() && !graph.IsBackEdge(node, i)) visit(node.inputs[i].node);
  }
  for (NodeId id : node.control_inputs) visit(id);
}

}  // namespace

NodeOrder::NodeOrder(const Graph& graph, std::span<const NodeId> order, std::span<const NodeId> nodes, Ways ways)
    : before_(static_cast<size_t>(graph.num_nodes()), 0), after_(before_) {
  for (size_t i = 0; i < nodes.size(); ++i) before_[nodes[i]] = after_[nodes[i]] |= uint64_t{1} << i;
  uint64_t sent = 0;  // what has been sent comes after these
  for (NodeId id : order) {
    ForEachSource(graph, graph.node(id), [&](NodeId source) { after_[id] |= after_[source]; });
    if (ways == Ways::kCertain) continue;
    if (graph.node(id).op->name == "_Send") sent |= after_[id];
    if (graph.node(id).op->name == "_Recv") after_[id] |= sent;
  }
  for (size_t i = order.size(); i-- > 0;) {
    const NodeId id = order[i];
    ForEachSource(graph, graph.node(id), [&](NodeId source) { before_[source] |= before_[id]; });
  }
}

}  // namespace dfrun
