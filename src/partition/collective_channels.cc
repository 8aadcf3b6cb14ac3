#include "src/partition/collective_channels.h"

#include <unordered_map>
#include <vector>

#include "src/framework/communication/collective_registry.h"
#include "src/graph/order/participants.h"

namespace dfrun {

Status AllotCollectiveChannels(Graph& placed, const Cluster& cluster, int32_t* next_channel) {
  DF_ASSIGN(const auto groups, FindParticipants(placed));
  if (groups.empty()) return Status();
  std::unordered_map<std::string, int64_t> rank_of;
  for (const ClusterDevice& device : cluster.devices) rank_of.emplace(device.name.ToString(), device.rank);
  for (const auto& [number, group] : groups) {
    std::vector<int64_t> ranks;
    for (NodeId id : group) ranks.push_back(rank_of.at(placed.node(id).device));
    for (NodeId id : group) {
      AttrMap& attrs = placed.mutable_node(id).attrs;
      attrs.Set("ranks", ranks);
      attrs.Set("channel", int64_t{*next_channel});
    }
    const Node& first = placed.node(group[0]);
    DF_ASSIGN(const CollectiveDef* const implementation, CollectiveOf(first.attrs));
    DF_ASSIGN(const CollectivePlan plan, ReadCollectivePlan(first.op->name, first.attrs));
    *next_channel += implementation->channels(plan);
  }
  return Status();
}

}  // namespace dfrun
