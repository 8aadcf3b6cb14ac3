// The placement of a job as the spec's `placement:` wants it, and the costs that it names.
#ifndef DFRUN_JOBS_PLACE_BY_SPEC_H_
#define DFRUN_JOBS_PLACE_BY_SPEC_H_

#include <string>
#include <vector>

#include "jobs/compile_job.h"
#include "src/costs/cost_table.h"
#include "src/spec/job_spec.h"

namespace dfrun::jobs {

// Reads the file of costs, `cost_file` or else the spec's, and adds the traced times of the spec's profile. Without any
// of them all is assumed. kNoInput where one is not there; else the errors of CostTable::Read() and AddTraceCosts().
Result<CostTable> CostsOfPlacement(const PlacementSpec& placement, const std::string& cost_file = "");

// Has the compiler build the job by the devices that a run of it would choose; by the rules it leaves it as it is.
// Returns lines for people. `costs`: null: those that the spec names. `ranks_per_node`: 0: all ranks are on one.
Result<std::vector<std::string>> PlaceBySpec(const LoadedSpec& spec, JobCompiler& compiler,
                                             const CostTable* costs = nullptr, int ranks_per_node = 0);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLACE_BY_SPEC_H_
