// The plan of a job: forecasts of its step over numbers of ranks, for `dfrun plan SPEC`.
#ifndef DFRUN_JOBS_PLAN_PLAN_OF_SPEC_H_
#define DFRUN_JOBS_PLAN_PLAN_OF_SPEC_H_

#include <string>

#include "jobs/plan/spec_plan_options.h"
#include "src/base/status.h"

namespace dfrun::jobs {

// Returns the text to print. BadSpec: as `dfrun check`; where the memory of a device, or what the spec grants of it, is
// not enough; where the cluster has fewer ranks; and where there are backup replicas, whose steps overlap.
Result<std::string> PlanOfSpec(const SpecPlanOptions& options);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_PLAN_OF_SPEC_H_
