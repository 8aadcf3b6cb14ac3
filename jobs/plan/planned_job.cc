#include "jobs/plan/planned_job.h"

#include <utility>

#include "jobs/model.h"
#include "jobs/place_by_spec.h"
#include "src/training/build_job_graph.h"

namespace dfrun::jobs {

Result<SimulatedJob> PlannedJob::Simulate(int ranks_per_node) {
  const StepGraphOptions options = {
      .costs = &costs, .ranks_per_node = ranks_per_node, .limits = spec.job.memory_limits};
  Result<SimulatedJob> job = SimulateJob(spec, compiler.placement(), compiler.runtime(), compiler.options(), options);
  DF_TRY(AsSpecError(spec.job.path, job.status()));
  return job;
}

Result<PlannedJob> LoadPlannedJob(const SpecPlanOptions& options, int ranks, const std::string& profile) {
  DF_ASSIGN(Model model, LoadSpecModel({.path = options.spec,
                                        .sets = options.sets,
                                        .tags = {},
                                        .ranks = ranks,
                                        .device_counts = options.devices,
                                        .form = ModelOptions::Form::kJob}));
  Result<JobCompiler> compiler = JobCompiler::Create(model, ranks > 0 ? ranks : model.RanksNeeded());
  DF_TRY(AsSpecError(options.spec, compiler.status()));
  PlannedJob job{model.TakeSpec(), *std::move(compiler), {}};
  if (!job.spec.job.train && !job.spec.job.run)
    return Error(Code::kBadSpec, options.spec, ":1:1: there is no step: the spec has neither `train:` nor `run:`");
  if (!profile.empty()) job.spec.job.placement.profile = profile;
  DF_ASSIGN(job.costs, CostsOfPlacement(job.spec.job.placement, options.cost_file));
  return job;
}

}  // namespace dfrun::jobs
