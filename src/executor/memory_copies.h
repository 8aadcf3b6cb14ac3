// Copies between the host's memory and a device's own, as nodes of the device's partition.
//
// On a device with memory of its own a value lies in that memory, but for what its kernel declares to write in the
// host's (KernelDef::host_outputs), feeds, the port that a Merge came by, and all that are no plain numbers. Kernels
// read as they declare; the executor reads predicates and fetches in the host's memory, and hands other values on where
// the device has them. Where a value is read in the other memory a copy is made of it once, after it is there; a
// constant is there in both without. A ref is read when its reader is due, so each reader has a copy of its own, which
// comes after every update for which the reader waits (src/graph/read_order.h).
#ifndef DFRUN_SRC_EXECUTOR_MEMORY_COPIES_H_
#define DFRUN_SRC_EXECUTOR_MEMORY_COPIES_H_

#include "src/framework/device.h"
#include "src/framework/kernel_registry.h"
#include "src/graph/graph.h"

namespace dfrun {

// The graph with copies; it has control flow just where `partition` has. An error names the node.
Result<Graph> WithMemoryCopies(const Graph& partition, const Device& device, const KernelRegistry& kernels);

// Sets TypedArg::in_host of a node's arguments on such a device, of nodes that the executor does itself too.
Status SetHostArgsOf(const Node& node, const KernelRegistry& kernels, const Device& device, NodeInfo& info);

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_MEMORY_COPIES_H_
