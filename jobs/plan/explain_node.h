// Explains why a node of a job's step is on its device, and what it would cost elsewhere, for `dfrun explain`.
#ifndef DFRUN_JOBS_PLAN_EXPLAIN_NODE_H_
#define DFRUN_JOBS_PLAN_EXPLAIN_NODE_H_

#include <string>

#include "jobs/plan/spec_plan_options.h"
#include "src/base/status.h"

namespace dfrun::jobs {

// Returns the text to print. Usage: the step has no such node; several numbers of
// ranks. BadSpec: as `dfrun check`.
Result<std::string> ExplainNode(const std::string& node, const SpecPlanOptions& options);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_EXPLAIN_NODE_H_
