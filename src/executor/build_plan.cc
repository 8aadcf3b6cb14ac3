#include "src/executor/build_plan.h"

#include <utility>

#include "src/executor/capture/recorded_unit.h"
#include "src/executor/capture/unit_listing.h"
#include "src/executor/plan/memory_copies.h"
#include "src/executor/planning/plan_builder.h"

namespace dfrun {
namespace {

// The recorder gives all memory: no value has a place in the step's.
PlanOptions UnitOptions() {
  return {.max_arena_bytes = -1, .loop_programs = false, .records = false};
}

Status BuildWithUnits(const Graph& partition, Device& device, const KernelRegistry& kernels, const PlanOptions& options,
                      ExecPlan& plan) {
  DF_ASSIGN(UnitCut cut, CutPartition(partition, device, kernels));
  if (options.explain) {
    for (const std::string& line : ListUnits(partition, cut, device.full_name())) options.explain(line);
  }
  std::vector<std::unique_ptr<Kernel>> units;
  const PlanOptions unit_options = UnitOptions();
  for (UnitDraft& draft : cut.units) {
    auto unit_plan = std::make_unique<ExecPlan>();
    DF_TRY(PlanBuilder(draft.graph, device, kernels, unit_options, *unit_plan).Build());
    units.push_back(std::make_unique<RecordedUnit>(std::move(draft), std::move(unit_plan), options.explain));
  }
  return PlanBuilder(cut.graph, device, kernels, options, plan).WithUnits(std::move(units)).Build();
}

}  // namespace

Result<std::unique_ptr<ExecPlan>> BuildPlan(const Graph& partition, Device& device, const KernelRegistry& kernels,
                                            const PlanOptions& options) {
  auto plan = std::make_unique<ExecPlan>();
  if (!device.has_own_memory()) {
    DF_TRY(PlanBuilder(partition, device, kernels, options, *plan).Build());
  } else if (options.records && DeviceRecording::Of(device) != nullptr) {
    DF_TRY(BuildWithUnits(partition, device, kernels, options, *plan));
  } else {
    DF_ASSIGN(const Graph copying, WithMemoryCopies(partition, device, kernels));
    DF_TRY(PlanBuilder(copying, device, kernels, options, *plan).Build());
  }
  return plan;
}

}  // namespace dfrun
