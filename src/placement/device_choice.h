// Chooses the nodes that are computed on another device than the host, among those that nothing binds to a type of
// device.
//
// The rule: a task whose devices are left open computes on such a device if all that it has kernels for takes less time
// there than on the host, by the costs of the nodes (src/graph/node_cost.h) and the speeds of the types
// (src/framework/device/device_speed.h): for each node the longer of its operations and its bytes, and the time of a
// node; for the device also the bytes that come from nodes which stay with the host, and the time of a step. Unknown
// costs count as a node's time alone. Small work goes with large work around it, also with work that is bound to the
// device.
//
// An input goes along where its batch is large and all of its readers go, so that the next batch is copied while a step
// computes; the threads that read it are the host's.
//
// These stay with the host: groups of nodes for which the device has no kernel; integers and truths that are read in
// host memory alone, as shapes and sizes are; graphs with the primitives of conditionals and loops.
#ifndef DFRUN_SRC_PLACEMENT_DEVICE_CHOICE_H_
#define DFRUN_SRC_PLACEMENT_DEVICE_CHOICE_H_

#include <set>
#include <vector>

#include "src/framework/kernel/kernel_registry.h"
#include "src/graph/graph.h"
#include "src/placement/cluster.h"

namespace dfrun {

// An attr of nodes: which of several devices of the type they are computed on, counted around. 0 without it.
inline constexpr const char* kSpreadAttr = "_spread";

struct ChoiceOptions {
  bool with_state = false;  // also groups that hold state, if no other graph ever reads it
  bool soft = false;        // soft placement, see PlaceGraph()
  // The fetches and targets of a step, whose work counts together with that of the nodes that they depend on. Empty:
  // all nodes.
  std::vector<NodeId> step = {};
};

// Gives the nodes that are to be computed on another device than the host its full name. Errors as PlaceGraph()
// about constraints. Takes time linear in the graph, none where no rank has such devices.
Status ChooseDevices(Graph& graph, const Cluster& cluster, const KernelRegistry& kernels,
                     const ChoiceOptions& options = {});

// The ranks that have a device beside the host's that may be chosen: one of a type whose speed is known.
std::set<int> RanksWithChoice(const Cluster& cluster);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLACEMENT_DEVICE_CHOICE_H_
