// Copies between the host's memory and a device's own, as nodes of the device's partition.
//
// On a device with memory of its own a value lies in that memory, except outputs that its kernel declares to write in
// the host's (KernelDef::host_outputs), feeds, the second output of a Merge, and all values that are no plain numbers.
// Kernels read as they declare; the executor reads predicates and fetches in the host's memory, and hands other values
// on where the device has them. A value that is read in the other memory is copied once, after it is there; a constant
// is in both memories without a copy. A ref is read when its reader is due, so each reader has a copy of its own, which
// comes after every update for which the reader waits (src/graph/order/read_order.h).
#ifndef DFRUN_SRC_EXECUTOR_PLAN_MEMORY_COPIES_H_
#define DFRUN_SRC_EXECUTOR_PLAN_MEMORY_COPIES_H_

#include "src/framework/device/device.h"
#include "src/framework/kernel/kernel_registry.h"
#include "src/graph/graph.h"

namespace dfrun {

// The graph with copies; it has control flow just where `partition` has. An error names the node.
Result<Graph> WithMemoryCopies(const Graph& partition, const Device& device, const KernelRegistry& kernels);

// Sets TypedArg::in_host of a node's arguments on such a device, of nodes that the executor does itself too.
Status SetHostArgsOf(const Node& node, const KernelRegistry& kernels, const Device& device, NodeInfo& info);

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_PLAN_MEMORY_COPIES_H_
