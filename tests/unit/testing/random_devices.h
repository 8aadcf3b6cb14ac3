// Puts the nodes of a graph on devices at random: a placement that no reader of the graph expects.
#ifndef DFRUN_TESTS_UNIT_TESTING_RANDOM_DEVICES_H_
#define DFRUN_TESTS_UNIT_TESTING_RANDOM_DEVICES_H_

#include <map>
#include <random>

#include "src/placement/cluster.h"
#include "src/placement/colocation_groups.h"

namespace dfrun::testing {

// Every group of nodes that must share a device (by variables, resources, colocate_with) gets one of the cluster's; the
// same ones for the same seed.
inline Status PutOnRandomDevices(Graph& graph, const Cluster& cluster, uint64_t seed) {
  for (NodeId id = 0; id < graph.num_nodes(); ++id) graph.mutable_node(id).device.clear();
  DF_ASSIGN(const ColocationGroups groups, ColocationGroups::Create(graph));
  std::mt19937_64 random(seed);
  std::map<NodeId, std::string> device;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    std::string& chosen = device[groups.Root(id)];
    if (chosen.empty()) chosen = cluster.devices[random() % cluster.devices.size()].name.ToString();
    graph.mutable_node(id).device = chosen;
  }
  return Status();
}

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_RANDOM_DEVICES_H_
