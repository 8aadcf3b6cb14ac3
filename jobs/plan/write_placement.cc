#include "jobs/plan/write_placement.h"

#include <optional>
#include <utility>

#include "jobs/place_by_spec.h"
#include "jobs/plan/planned_job.h"
#include "src/base/text.h"
#include "src/plan/placed_step.h"

namespace dfrun::jobs {

Result<int> OneNumberOfRanks(const std::string& ranks, const char* flag) {
  if (ranks.empty()) return 0;
  const std::optional<int> number = ParseAs<int>(ranks);
  if (number && *number >= 1) return *number;
  return Error(Code::kUsage, "--ranks: '", ranks, "' is not one number, which ", flag, " needs");
}

Status WritePlacement(const SpecPlanOptions& options, const OutputFile& file) {
  DF_TRY(file.Check());
  DF_ASSIGN(const int ranks, OneNumberOfRanks(options.ranks, "--write-placement"));
  DF_ASSIGN(PlannedJob job, LoadPlannedJob(options, ranks));
  DF_TRY(job.CheckStep());
  DF_TRY(PlaceBySpec(job.spec, job.compiler, &job.costs, options.ranks_per_node).status());
  DF_ASSIGN(const SimulatedJob step, job.Simulate(options.ranks_per_node));
  const Cluster& cluster = job.compiler.cluster();
  const double seconds = PlacedStep(step.step.graph, step.step.device_of).seconds();
  const PlacementFacts facts = {job.compiler.is_placed() ? PlacedBy::kSimulation : PlacedBy::kRules,
                                cluster.devices.back().rank + 1, seconds, job.compiler.is_placed() ? 0 : seconds};
  return file.WriteText(PrintPlacement(PlacementOfStep(step, step.step.device_of, cluster), facts));
}

}  // namespace dfrun::jobs
