// The file of costs (src/costs/cost_table.h) of a command, which adds to it what it has measured or reads it.
#ifndef DFRUN_JOBS_COST_FILE_H_
#define DFRUN_JOBS_COST_FILE_H_

#include <string>

#include "jobs/output_file.h"
#include "src/costs/cost_table.h"

namespace dfrun::jobs {

// Returns the table of the file, or a new one of this host and so many threads where there is none yet. An error where
// the file is no table of costs or may not be replaced.
Result<CostTable> BeginCostFile(const OutputFile& file, int threads);

// Returns the table of a file that must be there; kNoInput where it is not, else the errors of CostTable::Read().
Result<CostTable> ReadCostFile(const std::string& path);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_COST_FILE_H_
