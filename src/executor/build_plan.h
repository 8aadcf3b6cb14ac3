// Makes plans of partitions.
#ifndef DFRUN_SRC_EXECUTOR_BUILD_PLAN_H_
#define DFRUN_SRC_EXECUTOR_BUILD_PLAN_H_

#include <memory>

#include "src/executor/plan.h"

namespace dfrun {

// `partition`: one device's nodes, shapes inferred, feeds and fetches as _Arg and _Retval. Kernels are made here. On a
// device with memory of its own, copies are added where a value is read in the other memory (memory_copies.h), and
// what can be recorded becomes units (unit_cut.h). Errors name the node.
Result<std::unique_ptr<ExecPlan>> BuildPlan(const Graph& partition, Device& device, const KernelRegistry& kernels,
                                            const PlanOptions& options = {});

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_BUILD_PLAN_H_
