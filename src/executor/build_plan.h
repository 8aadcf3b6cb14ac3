// Makes plans of partitions.
#ifndef DFRUN_SRC_EXECUTOR_BUILD_PLAN_H_
#define DFRUN_SRC_EXECUTOR_BUILD_PLAN_H_

#include <memory>

#include "src/executor/plan/plan.h"

namespace dfrun {

// `partition`: one device's nodes, shapes inferred, feeds and fetches as _Arg and _Retval. BuildPlan makes the kernels.
// On a device with memory of its own it adds copies where a value is read in the other memory (memory_copies.h), and
// nodes that can be recorded become subgraphs (capture_partition.h). Errors name the node.
Result<std::unique_ptr<ExecPlan>> BuildPlan(const Graph& partition, Device& device, const KernelRegistry& kernels,
                                            const PlanOptions& options = {});

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_BUILD_PLAN_H_
