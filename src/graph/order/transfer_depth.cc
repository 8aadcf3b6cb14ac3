#include "src/graph/order/transfer_depth.h"

#include <algorithm>
#include <map>

#include "src/graph/order/participants.h"

namespace dfrun {
namespace {

int TransferDepthBefore(const Graph& graph, const Node& node, const std::vector<int>& device,
                        const std::vector<int>& transfer_depth) {
  int most = 0;
  const auto see = [&](NodeId source) {
    most = std::max(most, transfer_depth[source] + (device[source] == device[node.id] ? 0 : 1));
  };
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (node.inputs[i].valid() && !graph.IsBackEdge(node, i)) see(node.inputs[i].node);
  }
  for (NodeId control : node.control_inputs) see(control);
  return most;
}

}  // namespace

int TransferDepthOf(const Node& node) {
  const AttrValue* const value = node.attrs.Find(kTransferDepthAttr);
  const int64_t* const transfer_depth = value == nullptr ? nullptr : value->get<int64_t>();
  return transfer_depth == nullptr ? 0 : static_cast<int>(*transfer_depth);
}

Result<std::vector<int>> FindTransferDepths(const Graph& graph, const std::vector<NodeId>& order,
                                            const std::vector<int>& device) {
  DF_ASSIGN(const auto groups, FindParticipants(graph));
  std::map<NodeId, const std::vector<NodeId>*> group_of;
  for (const auto& [number, members] : groups) {
    for (NodeId id : members) group_of[id] = &members;
  }
  std::vector<int> transfer_depth(static_cast<size_t>(graph.num_nodes()), 0);
  for (NodeId id : order) {
    const auto group = group_of.find(id);
    if (group == group_of.end()) {
      transfer_depth[id] = TransferDepthBefore(graph, graph.node(id), device, transfer_depth);
      continue;
    }
    for (NodeId member : *group->second) {
      const int before = TransferDepthBefore(graph, graph.node(member), device, transfer_depth);
      transfer_depth[id] = std::max(transfer_depth[id], before + 1);
    }
  }
  return transfer_depth;
}

}  // namespace dfrun
