#include "src/graph/order/node_order.h"

#include <utility>

#include "src/graph/dependency_order.h"
#include "src/graph/order/participants.h"

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
  uint64_t sent = 0;  // bits of the nodes before all Sends so far
  for (NodeId id : order) {
    ForEachSource(graph, graph.node(id), [&](NodeId source) { after_[id] |= after_[source]; });
    if (ways == Ways::kCertain) continue;
    if (EntersPartition(graph.node(id))) after_[id] |= sent;
    if (LeavesPartition(graph.node(id))) sent |= after_[id];
  }
  for (size_t i = order.size(); i-- > 0;) {
    const NodeId id = order[i];
    ForEachSource(graph, graph.node(id), [&](NodeId source) { before_[source] |= before_[id]; });
  }
}

bool IsSend(const Node& node) {
  return node.op->traits.boundary == Boundary::kSend;
}

bool IsRecv(const Node& node) {
  return node.op->traits.boundary == Boundary::kRecv;
}

bool LeavesPartition(const Node& node) {
  return IsSend(node) || IsParticipant(node);
}

bool EntersPartition(const Node& node) {
  return IsRecv(node) || IsParticipant(node);
}

Result<std::vector<NodeId>> PartitionOrder(const Graph& graph) {
  Dependencies dependencies;
  std::vector<NodeId>& before = dependencies.before;
  std::vector<NodeId> sends;  // since the last Recv
  NodeId last_recv = -1;
  for (const Node& node : graph.nodes()) {
    ForEachSource(graph, node, [&](NodeId source) { before.push_back(source); });
    if (EntersPartition(node)) {
      before.insert(before.end(), sends.begin(), sends.end());
      sends.clear();
      if (last_recv >= 0) before.push_back(last_recv);
      last_recv = node.id;
    }
    if (LeavesPartition(node)) sends.push_back(node.id);
    dependencies.Close();
  }
  DependencyOrder found = OrderByDependencies(dependencies);
  if (found.cycle.empty()) return std::move(found.order);
  DF_TRY(graph.TopologicalOrder().status());
  return Internal(graph.Describe(found.cycle[0]), " would wait by way of another device for what waits for it");
}

}  // namespace dfrun
