// Whether the kernels of a graph take its attrs, found without running it.
#ifndef DFRUN_SRC_SESSION_KERNEL_CHECK_H_
#define DFRUN_SRC_SESSION_KERNEL_CHECK_H_

#include "src/framework/kernel/kernel_registry.h"
#include "src/graph/graph.h"

namespace dfrun {

// Returns the error of the constructor of a node's kernel on the device (a pattern that is no regular expression, attrs
// that exclude each other), with the node and its location. Skips nodes that have no kernel there, and stateful ones,
// whose kernels may open files, unless they make an object that no other node shares.
Status CheckKernels(const Graph& graph, Device& device, const KernelRegistry& kernels);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_KERNEL_CHECK_H_
