// Puts the nodes of a graph on devices at random: a placement that no reader of the graph expects.
#ifndef DFRUN_TESTS_UNIT_TESTING_RANDOM_DEVICES_H_
#define DFRUN_TESTS_UNIT_TESTING_RANDOM_DEVICES_H_

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "src/placement/cluster.h"
#include "src/placement/colocation_groups.h"
#include "src/placement/kernel_index.h"

namespace dfrun::testing {

// Puts the groups of nodes that must share a device (by variables, resources, colocate_with) on devices of a cluster.
class RandomDevices {
 public:
  RandomDevices(Graph& graph, const Cluster& cluster)
      : graph_(graph), cluster_(cluster), types_(TypesOf(cluster)), kernels_(KernelRegistry::Builtin(), types_) {}

  Status Choose(uint64_t seed) {
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) graph_.mutable_node(id).device.clear();
    DF_ASSIGN(const ColocationGroups groups, ColocationGroups::Create(graph_));
    std::map<NodeId, DeviceTypes> able;
    for (const Node& node : graph_.nodes()) {
      able.try_emplace(groups.Root(node.id), kernels_.all()).first->second &= kernels_.TypesFor(node);
    }
    std::mt19937_64 random(seed);
    std::map<NodeId, std::string> device;
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      std::string& chosen = device[groups.Root(id)];
      const std::vector<std::string> names = DevicesOf(able.at(groups.Root(id)));
      if (names.empty()) return InvalidArgument(graph_.Describe(id), " has no kernel on any device");
      if (chosen.empty()) chosen = names[random() % names.size()];
      graph_.mutable_node(id).device = chosen;
    }
    return Status();
  }

 private:
  static std::vector<std::string> TypesOf(const Cluster& cluster) {
    std::set<std::string> types;
    for (const ClusterDevice& device : cluster.devices) types.insert(*device.name.type);
    return {types.begin(), types.end()};
  }
  std::vector<std::string> DevicesOf(DeviceTypes able) const {
    std::vector<std::string> names;
    for (const ClusterDevice& device : cluster_.devices) {
      const auto type = std::find(types_.begin(), types_.end(), *device.name.type) - types_.begin();
      if ((able >> type & 1) != 0) names.push_back(device.name.ToString());
    }
    return names;
  }

  Graph& graph_;
  const Cluster& cluster_;
  const std::vector<std::string> types_;
  KernelIndex kernels_;
};

// Each group gets a device that has kernels for all of its nodes; the same ones for the same seed.
inline Status PutOnRandomDevices(Graph& graph, const Cluster& cluster, uint64_t seed) {
  return RandomDevices(graph, cluster).Choose(seed);
}

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_RANDOM_DEVICES_H_
