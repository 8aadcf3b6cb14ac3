#include "src/executor/build_plan.h"

#include "src/executor/memory_copies.h"
#include "src/executor/plan_builder.h"

namespace dfrun {

Result<std::unique_ptr<ExecPlan>> BuildPlan(const Graph& partition, Device& device, const KernelRegistry& kernels,
                                            const PlanOptions& options) {
  auto plan = std::make_unique<ExecPlan>();
  if (device.has_own_memory()) {
    DF_ASSIGN(const Graph copying, WithMemoryCopies(partition, device, kernels));
    DF_TRY(PlanBuilder(copying, device, kernels, options, *plan).Build());
  } else {
    DF_TRY(PlanBuilder(partition, device, kernels, options, *plan).Build());
  }
  return plan;
}

}  // namespace dfrun
