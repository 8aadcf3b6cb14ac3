// The costs by which a job is placed, as the spec's `placement:` names them.
#ifndef DFRUN_JOBS_PLACEMENT_COSTS_H_
#define DFRUN_JOBS_PLACEMENT_COSTS_H_

#include <string>

#include "src/costs/cost_table.h"
#include "src/spec/job_spec.h"

namespace dfrun::jobs {

// Reads the file of costs, `cost_file` or else the spec's, and adds the traced times of the spec's profile. Without any
// of them all is assumed. kNoInput where one is not there; else the errors of CostTable::Read() and AddTraceCosts().
Result<CostTable> CostsOfPlacement(const PlacementSpec& placement, const std::string& cost_file = "");

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLACEMENT_COSTS_H_
