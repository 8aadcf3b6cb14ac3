// The runs of a folder as a table, as CSV and as JSON.
#ifndef DFRUN_JOBS_RUNS_RUN_LISTING_H_
#define DFRUN_JOBS_RUNS_RUN_LISTING_H_

#include <string>
#include <vector>

#include "src/runs/run_cells.h"

namespace dfrun::jobs {

// A line a run, for people: state, steps, time, the columns of ColumnsOf(). Names are printable.
std::string RunTable(const std::vector<RunSummary>& runs);
// A line a run with the columns of the table and those facts of RunCells that have none there, by RFC 4180.
std::string RunCsv(const std::vector<RunSummary>& runs);
// A list of objects with all params and metrics.
std::string RunJson(const std::vector<RunSummary>& runs);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_RUNS_RUN_LISTING_H_
