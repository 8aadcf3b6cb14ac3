// The facts of runs by their names: those that a filter compares, by which runs are sorted, and that a table shows.
#ifndef DFRUN_SRC_RUNS_RUN_CELLS_H_
#define DFRUN_SRC_RUNS_RUN_CELLS_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/status.h"
#include "src/runs/run_summary.h"

namespace dfrun {

struct RunCell {
  std::string text;
  std::optional<double> number = {};  // where the text is one
};

// Facts of one run: run, name, state ("failed" without the code), exit, step, steps, time (seconds), begin, ranks;
// metrics by their names, the last values; "best METRIC" for the metric by which the spec compares; params, by their
// names where nothing above is called so, and each as "params.NAME" too.
using RunCells = std::map<std::string, RunCell, std::less<>>;

RunCells CellsOf(const RunSummary& run);

// The columns that a table shows of params, metrics and best values, each sorted.
struct RunColumns {
  std::vector<std::string> params;  // params that differ among the runs that have any
  std::vector<std::string> best;    // "best eval/accuracy"
  std::vector<std::string> last;    // metrics that are numbers
};

RunColumns ColumnsOf(const std::vector<RunSummary>& runs);

// OK where a run has a fact of the name. Else a usage error with the nearest names; `option` is "--sort".
Status CheckName(const std::string& name, const std::vector<RunCells>& runs, std::string_view option);

// The order of the runs, by their index, by the fact `name`: numbers first, the smallest before others, and texts
// behind them; runs without the fact come last. A '-' before the name reverses it, and so does a metric whose largest
// value is the best, so that the best run comes first.
Result<std::vector<size_t>> SortRuns(const std::vector<RunSummary>& runs, const std::vector<RunCells>& cells,
                                     const std::string& name);

}  // namespace dfrun

#endif  // DFRUN_SRC_RUNS_RUN_CELLS_H_
