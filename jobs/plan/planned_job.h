// A job that is looked at before it runs: its spec, its compiler and the costs by which it is simulated.
#ifndef DFRUN_JOBS_PLAN_PLANNED_JOB_H_
#define DFRUN_JOBS_PLAN_PLANNED_JOB_H_

#include "jobs/compile_job.h"
#include "jobs/plan/spec_plan_options.h"
#include "src/costs/cost_table.h"
#include "src/job/place_job.h"

namespace dfrun::jobs {

struct PlannedJob {
  LoadedSpec spec;
  int ranks = 0;
  JobCompiler compiler;
  CostTable costs;

  // BadSpec: the spec has no step, so that there is nothing to simulate.
  Status CheckStep() const;
  // BadSpec, which says where the spec has replicas run for themselves, so that there is no step of all.
  Status ApartError() const;
  // Its step, with the placement of its compiler. BadSpec: as `dfrun check`, and where replicas run for themselves.
  Result<SimulatedJob> Simulate(int ranks_per_node);
};

// Loads the job for `ranks`, 0: as many as it needs. `profile`: a run whose traced times count, in place of the spec's.
// BadSpec: as `dfrun check`. kNoInput: files of costs that are not there.
Result<PlannedJob> LoadPlannedJob(const SpecPlanOptions& options, int ranks, const std::string& profile = "");

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_PLANNED_JOB_H_
