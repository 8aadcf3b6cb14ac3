// Compiles a job for its plan: of many equal replicas some alone, and the parts of the others as copies.
#ifndef DFRUN_JOBS_PLAN_COMPILE_PLAN_H_
#define DFRUN_JOBS_PLAN_COMPILE_PLAN_H_

#include <vector>

#include "jobs/compile_job.h"
#include "jobs/plan/planned_parts.h"
#include "src/placement/cluster.h"

namespace dfrun::jobs {

struct CompiledPlan {
  std::vector<CompiledStep> steps;
  // The copies of the first step's last part, and their devices; none where all replicas are compiled.
  PartCopies copies = {};
  std::vector<ClusterDevice> devices = {};

  // The parts of the first step on these devices. They live as long as the plan.
  std::vector<PlannedPart> Copies() const;
};

// Compiles the usual steps of the job. With `stamps_replicas` those of some replicas alone, where the result is that of
// a compilation of all.
Result<CompiledPlan> CompilePlan(const LoadedSpec& spec, bool stamps_replicas, JobCompiler& compiler);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_COMPILE_PLAN_H_
