// Measured costs of nodes, from the trace of a run directory.
#ifndef DFRUN_JOBS_TRACE_COSTS_H_
#define DFRUN_JOBS_TRACE_COSTS_H_

#include <string>

#include "src/costs/cost_table.h"

namespace dfrun::jobs {

// Compiles the spec that the run keeps, for as many ranks, and adds to the table the median times of the nodes that its
// trace has. Returns lines for people: how many nodes got a cost, and how well the table told their times before and
// tells them after. An error leaves the table as it was.
Result<std::string> AddTraceCosts(const std::string& run, CostTable& table);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_TRACE_COSTS_H_
