// Assigns every node a device.
//
// A placement satisfies, in this order:
//   1. Nodes of one colocation group are on one device. A group is closed under: `colocate_with`; the further nodes
//      that an imported node's `_class` names; a ref, resource or variant input and the node that it comes from.
//   2. The device matches the `device` constraint of every node of the group, with two exceptions: the constraint of a
//      node that is colocated by name counts only where the other constraints leave the device open; and the constraint
//      of a reader of a ref, a resource or a variant yields to that of the node which makes it.
//   3. The device has a kernel for every node of the group. (_Arg and _Retval need none: the executor does their work.)
// Where that leaves a choice:
//   4. _Arg and _Retval are placed on rank 0's CPU, where feeds and fetches are.
//   5. A node that only passes on or describes its first input (Identity, Reshape, Shape, ...) is placed on the device
//      of that input, unless its group holds state; so is a gather whose rows are fewer bytes than its table
//      (gathered_rows.h).
//   6. A stateless node without inputs (Const) is placed with its readers, if all of them have one device.
//   7. Every other node is placed on the first device of the cluster that is left: rank 0's CPU if that is allowed.
//      Work that pays on another device than the host has been given that before (device_choice.h).
// Soft placement: colocations by name that would exclude each other do not count, and of the makers of two states that
// share a reader the first one's constraint does. If 2 and 3 leave no device, the group's constraint loses type and
// index, then all of its parts. The result depends on the graph and the cluster
// alone. Takes time linear in the graph. Source: TensorFlow's placer for 1 to 3, 5 and 6, and the soft placement of
// colocations and types; its import_graph_def for nodes that are colocated and name a device.
#ifndef DFRUN_SRC_PLACEMENT_PLACER_H_
#define DFRUN_SRC_PLACEMENT_PLACER_H_

#include "src/framework/kernel/kernel_registry.h"
#include "src/graph/graph.h"
#include "src/placement/cluster.h"

namespace dfrun {

// Sets every node's `device` to a full name. InvalidArgument: a device name that cannot be read, constraints of a group
// that contradict each other, a constraint that no device matches, `colocate_with` a node that is not there. NotFound:
// no kernel; the error lists those that are registered. Errors name the node and leave the devices as they were.
Status PlaceGraph(Graph& graph, const Cluster& cluster, const KernelRegistry& kernels, bool soft = false);

// The devices and kernels that soft placement looks at.
struct SoftPlacement {
  const Cluster& cluster;
  const KernelRegistry& kernels;
};

// Drops type and index of each constraint that no device of the cluster matches, and the whole constraint if no device
// matches it even so. InvalidArgument: a constraint that cannot be read.
Status DropUnmatchedConstraints(Graph& graph, const Cluster& cluster);

// Gives every node of a colocation group the constraint of the whole group, and makes its nodes `colocate_with` one of
// them. To be called on the graph of a session before parts of it are pruned and placed one by one: a variable then has
// the same device in all parts, whichever other nodes of its group they hold. Where placement is soft, a group's
// constraint that leaves no device is loosened here, for all parts alike. Errors are those of PlaceGraph() about
// groups.
Status SpreadConstraints(Graph& graph, const SoftPlacement* soft = nullptr);

// Loosens the constraints of the groups that leave no device, for all nodes of each of them. Others stay as they are.
Status LoosenConstraints(Graph& graph, const SoftPlacement& soft);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLACEMENT_PLACER_H_
