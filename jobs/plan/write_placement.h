// Writes the placement of a job to a file, which people may edit and a spec may name.
#ifndef DFRUN_JOBS_PLAN_WRITE_PLACEMENT_H_
#define DFRUN_JOBS_PLAN_WRITE_PLACEMENT_H_

#include "jobs/output_file.h"
#include "jobs/plan/spec_plan_options.h"

namespace dfrun::jobs {

// Writes the device of each node that a placement may move, as the spec's `placement:` has it, or the rules
// (src/graph/placement_file.h). Usage: several numbers of ranks. kIo: the file cannot be written. BadSpec: as `dfrun
// check`.
Status WritePlacement(const SpecPlanOptions& options, const OutputFile& file);

// The one number of ranks of `--ranks`; 0: as many as the job needs. `flag` is what needs one, for the usage error.
Result<int> OneNumberOfRanks(const std::string& ranks, const char* flag);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_WRITE_PLACEMENT_H_
