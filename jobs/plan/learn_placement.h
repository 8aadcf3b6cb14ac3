// Learns a placement from the traced times of a run, for `dfrun plan --learn`.
#ifndef DFRUN_JOBS_PLAN_LEARN_PLACEMENT_H_
#define DFRUN_JOBS_PLAN_LEARN_PLACEMENT_H_

#include <cstdint>
#include <string>

#include "jobs/plan/spec_plan_options.h"
#include "src/base/status.h"

namespace dfrun::jobs {

struct LearnOptions {
  int64_t seconds = 0;  // time of the search
  std::string profile;  // the run with the trace
};

// Searches by annealing in the simulation, and keeps the placement in the run's directory where it is faster there than
// what the search of a job finds; else it keeps the latter. A job with `placement: {kind: simulated, profile: RUN}` and
// an equal step takes it (LearnedPlacementOf()). Returns the text to print. Usage: several numbers of ranks. kNoInput:
// the run has no trace. BadSpec: as `dfrun check`.
Result<std::string> LearnPlacement(const SpecPlanOptions& options, const LearnOptions& learn);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_LEARN_PLACEMENT_H_
