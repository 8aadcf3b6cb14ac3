#include "jobs/plan/planned_job.h"

#include <utility>

#include "jobs/model.h"
#include "jobs/place_by_spec.h"
#include "src/graph/location_prefix.h"
#include "src/spec/replica_counts.h"
#include "src/training/build_job_graph.h"

namespace dfrun::jobs {

Status PlannedJob::CheckStep() const {
  if (spec.job.train || spec.job.run) return Status();
  return Error(Code::kBadSpec, spec.job.path, ":1:1: there is no step: the spec has neither `train:` nor `run:`");
}

Status PlannedJob::ApartError() const {
  const bool has_backup = BackupOf(*spec.job.train) > 0;
  return Error(
      Code::kBadSpec, LocationPrefix(spec.graph, spec.job.train->LocationOf(has_backup ? "backup" : "strategy")),
      "replicas of this strategy run for themselves, so that no step of all of them can be simulated: look at ",
      "the job with --set train.", has_backup ? "backup=0" : "strategy=sync");
}

Result<SimulatedJob> PlannedJob::Simulate(int ranks_per_node) {
  const StepGraphOptions options = {
      .costs = &costs, .ranks_per_node = ranks_per_node, .limits = spec.job.memory_limits};
  Result<SimulatedJob> job = SimulateJob(spec, compiler.placement(), compiler.runtime(), compiler.options(), options);
  DF_TRY(AsSpecError(spec.job.path, job.status()));
  if (job->job.apart) return ApartError();
  return job;
}

Result<PlannedJob> LoadPlannedJob(const SpecPlanOptions& options, int ranks, const std::string& profile) {
  DF_ASSIGN(Model model, LoadSpecModel({.path = options.spec,
                                        .sets = options.sets,
                                        .tags = {},
                                        .ranks = ranks,
                                        .device_counts = options.devices,
                                        .form = ModelOptions::Form::kJob}));
  if (ranks == 0) ranks = model.RanksNeeded();
  Result<JobCompiler> compiler = JobCompiler::Create(model, ranks);
  DF_TRY(AsSpecError(options.spec, compiler.status()));
  PlannedJob job{model.TakeSpec(), ranks, *std::move(compiler), {}};
  if (!profile.empty()) job.spec.job.placement.profile = profile;
  DF_ASSIGN(job.costs, CostsOfPlacement(job.spec.job.placement, options.cost_file));
  return job;
}

}  // namespace dfrun::jobs
