// Assigns every node a device.
//
// A placement satisfies, in this order:
//   1. Nodes of one colocation group are on one device. A group is closed under: `colocate_with`; the further nodes
//      that an imported node's `_class` names; a ref, resource or variant input and the node that it comes from.
//   2. The device matches the `device` constraint of every node of the group, but for two sorts: what a node says that
//      is colocated by name counts where the other constraints leave it open; and what a node says that has a ref, a
//      resource or a variant gives way to where that comes from.
//   3. The device has a kernel for every node of the group. (_Arg and _Retval need none: the executor does their work.)
// Where that leaves a choice:
//   4. _Arg and _Retval go to rank 0's CPU, where feeds come from and fetches go to.
//   5. A node that only passes its first input on or describes it (Identity, Reshape, Shape, ...) goes where that is,
//      unless its group holds state; so does a gather whose rows are fewer bytes than its table (gathered_rows.h).
//   6. A stateless node without inputs (Const) goes where its readers are, if they are all in one place.
//   7. Everything else goes to the first device of the cluster that is left: rank 0's CPU if it may.
// Soft placement: colocations by name that would exclude each other do not count, and where no device is left by 2 and
// 3 the group's constraint loses type and index, then all that it says. The result depends on the graph and the cluster
// alone. Takes time linear in the graph. Source: TensorFlow's placer for 1 to 3, 5 and 6, and the soft placement of
// colocations and types; its import_graph_def for nodes that are colocated and name a device.
#ifndef DFRUN_SRC_PLACEMENT_PLACER_H_
#define DFRUN_SRC_PLACEMENT_PLACER_H_

#include "src/framework/kernel_registry.h"
#include "src/graph/graph.h"
#include "src/placement/cluster.h"

namespace dfrun {

// Sets every node's `device` to a full name. InvalidArgument: a device name that cannot be read, constraints of a group
// that contradict each other, a constraint that no device matches, `colocate_with` a node that is not there. NotFound:
// no kernel, with those that there are. Errors name the node and leave the devices as they were.
Status PlaceGraph(Graph& graph, const Cluster& cluster, const KernelRegistry& kernels, bool soft = false);

// Forgets of constraints that no device of the cluster matches type and index, or all that they say where there is none
// even so. InvalidArgument: one that cannot be read.
Status DropUnmatchedConstraints(Graph& graph, const Cluster& cluster);

// Gives every node of a colocation group the constraint of the whole group, and makes its nodes `colocate_with` one of
// them. To be called on the graph of a session before parts of it are pruned and placed one by one: a variable is then
// in the same place in all of them, whichever of its companions they have. Errors are those of PlaceGraph() about
// groups.
Status SpreadConstraints(Graph& graph, bool soft = false);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLACEMENT_PLACER_H_
