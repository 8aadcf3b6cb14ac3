#include "src/graph/order/crossings.h"

#include <algorithm>
#include <map>

#include "src/graph/order/participants.h"

namespace dfrun {
namespace {

int CrossingsBefore(const Graph& graph, const Node& node, const std::vector<int>& device,
                    const std::vector<int>& crossings) {
  int most = 0;
  const auto see = [&](NodeId source) {
    most = std::max(most, crossings[source] + (device[source] == device[node.id] ? 0 : 1));
  };
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (node.inputs[i].valid() && !graph.IsBackEdge(node, i)) see(node.inputs[i].node);
  }
  for (NodeId control : node.control_inputs) see(control);
  return most;
}

}  // namespace

int CrossingsOf(const Node& node) {
  const AttrValue* const value = node.attrs.Find(kCrossingsAttr);
  const int64_t* const crossings = value == nullptr ? nullptr : value->get<int64_t>();
  return crossings == nullptr ? 0 : static_cast<int>(*crossings);
}

Result<std::vector<int>> CountCrossings(const Graph& graph, const std::vector<NodeId>& order,
                                        const std::vector<int>& device) {
  DF_ASSIGN(const auto groups, FindParticipants(graph));
  std::map<NodeId, const std::vector<NodeId>*> group_of;
  for (const auto& [number, members] : groups) {
    for (NodeId id : members) group_of[id] = &members;
  }
  std::vector<int> crossings(static_cast<size_t>(graph.num_nodes()), 0);
  for (NodeId id : order) {
    const auto group = group_of.find(id);
    if (group == group_of.end()) {
      crossings[id] = CrossingsBefore(graph, graph.node(id), device, crossings);
      continue;
    }
    for (NodeId member : *group->second) {
      const int before = CrossingsBefore(graph, graph.node(member), device, crossings);
      crossings[id] = std::max(crossings[id], before + 1);
    }
  }
  return crossings;
}

}  // namespace dfrun
