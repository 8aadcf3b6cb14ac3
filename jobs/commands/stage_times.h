// A table of what the stages of a compile took.
#ifndef DFRUN_JOBS_COMMANDS_STAGE_TIMES_H_
#define DFRUN_JOBS_COMMANDS_STAGE_TIMES_H_

#include <string>
#include <vector>

#include "jobs/compile_job.h"

namespace dfrun::jobs {

// A row for each stage that ran, in the order of CompileStages(), and one for their sum; a column for each step after
// the sum of the steps. In milliseconds; "-" where the stage did not run for the step. Any thread may call it.
std::string StageTimesTable(const std::vector<CompiledStep>& steps);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_COMMANDS_STAGE_TIMES_H_
