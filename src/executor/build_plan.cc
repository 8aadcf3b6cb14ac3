#include "src/executor/build_plan.h"

#include <optional>
#include <utility>

#include "src/executor/device_gate.h"
#include "src/executor/memory_copies.h"
#include "src/executor/plan_builder.h"
#include "src/executor/recorded_unit.h"

namespace dfrun {
namespace {

// The recorder gives all memory: no value has a place in the step's.
PlanOptions UnitOptions() {
  return {.max_arena_bytes = -1, .loop_programs = false, .records = false};
}

void Explain(const UnitCut& cut, const Device& device, const PlanOptions& options) {
  if (!options.explain) return;
  for (const UnitDraft& unit : cut.units) {
    options.explain(StrCat(device.full_name(), ": ", unit.name, ": ", unit.graph.num_nodes(),
                           " nodes with their inputs and outputs"));
  }
  for (const NotRecorded& rest : cut.rest) {
    options.explain(
        StrCat(device.full_name(), ": node '", rest.node, "' (op ", rest.op, ") is not recorded: ", rest.why));
  }
}

// With a gate of the device's own where that is possible.
Result<UnitCut> Cut(const Graph& partition, Device& device, const KernelRegistry& kernels) {
  if (const std::optional<Graph> gated = WithDeviceGate(partition, device); gated) {
    DF_ASSIGN(const Graph copying, WithMemoryCopies(*gated, device, kernels));
    DF_ASSIGN(UnitCut cut, CutUnits(copying, device, kernels));
    if (IsGateRecorded(*gated, cut)) return cut;
  }
  DF_ASSIGN(const Graph copying, WithMemoryCopies(partition, device, kernels));
  return CutUnits(copying, device, kernels);
}

Status BuildWithUnits(UnitCut cut, Device& device, const KernelRegistry& kernels, const PlanOptions& options,
                      ExecPlan& plan) {
  Explain(cut, device, options);
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
    DF_ASSIGN(UnitCut cut, Cut(partition, device, kernels));
    DF_TRY(BuildWithUnits(std::move(cut), device, kernels, options, *plan));
  } else {
    DF_ASSIGN(const Graph copying, WithMemoryCopies(partition, device, kernels));
    DF_TRY(PlanBuilder(copying, device, kernels, options, *plan).Build());
  }
  return plan;
}

}  // namespace dfrun
