// A table of the times of the stages of a compile.
#ifndef DFRUN_JOBS_COMMANDS_STAGE_TIMES_H_
#define DFRUN_JOBS_COMMANDS_STAGE_TIMES_H_

#include <string>
#include <vector>

#include "jobs/compile_job.h"

namespace dfrun::jobs {

// Returns a table in milliseconds: a row for each stage that ran, in the order of CompileStages(), and one for their
// sum; a column for the sum of the steps and one for each step, "-" where the stage did not run for it.
// Thread safety: any thread.
std::string StageTimesTable(const std::vector<CompiledStep>& steps);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_COMMANDS_STAGE_TIMES_H_
