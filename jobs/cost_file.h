// A file of costs (src/costs/cost_table.h) to which a command adds what it has measured.
#ifndef DFRUN_JOBS_COST_FILE_H_
#define DFRUN_JOBS_COST_FILE_H_

#include "jobs/output_file.h"
#include "src/costs/cost_table.h"

namespace dfrun::jobs {

// Returns the table of the file, or a new one of this host and so many threads where there is none yet. An error where
// the file is no table of costs or may not be replaced.
Result<CostTable> BeginCostFile(const OutputFile& file, int threads);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_COST_FILE_H_
