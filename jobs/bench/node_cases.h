// Nodes that stand for their families (src/costs/op_family.h), at a size, for `dfrun bench node`.
#ifndef DFRUN_JOBS_BENCH_NODE_CASES_H_
#define DFRUN_JOBS_BENCH_NODE_CASES_H_

#include <cstdint>
#include <string>

#include "src/framework/device/device.h"
#include "src/framework/kernel/kernel_registry.h"
#include "src/graph/graph.h"

namespace dfrun::jobs {

// Sizes of cases are 16 * 4^level elements, from a few to larger than the caches of a host.
inline constexpr int kNodeLevels = 11;

// The prefix of the names of the nodes to time.
inline constexpr const char* kCasePrefix = "case";

// Returns a graph of some nodes of each family, all of about so many elements, which run one after the other: between
// two nodes of one op others run, as in the step of a model, so that a node finds the caches of code as it would there.
// Nodes that would take far longer than the others of their size are left out, and so are those that the type of device
// has no kernel for. The graph's tensors are in host memory of the device, which must outlive the graph.
Result<Graph> NodeCaseGraph(Device& device, const KernelRegistry& kernels, int level);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_BENCH_NODE_CASES_H_
