// Runs the kernel of one node by itself, outside any plan: for constant folding and for tests.
#ifndef DFRUN_SRC_FRAMEWORK_KERNEL_RUN_KERNEL_H_
#define DFRUN_SRC_FRAMEWORK_KERNEL_RUN_KERNEL_H_

#include <span>
#include <vector>

#include "src/framework/kernel/kernel_registry.h"

namespace dfrun {

// Returns the outputs of the node for these inputs, in owned tensors; inputs and outputs are in host memory, whatever
// the device's is. Makes the kernel, calls it once on the calling thread, waits for its enqueued work and drops it.
// `inputs` are values that fit node.inputs. Unimplemented for an asynchronous kernel and for ref inputs; NotFound where
// the device has no kernel; else the kernel's error.
// Thread safety: any thread.
Result<std::vector<Tensor>> RunKernelOnce(const NodeInfo& node, const AttrMap& attrs, std::span<const Tensor> inputs,
                                          Device& device, ThreadPool& pool, const KernelRegistry& kernels);

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_KERNEL_RUN_KERNEL_H_
