// The facts of a run that `dfrun runs` shows in a line, from the files of its directory alone.
#ifndef DFRUN_SRC_RUNS_RUN_SUMMARY_H_
#define DFRUN_SRC_RUNS_RUN_SUMMARY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/base/status.h"
#include "src/runs/metrics_file.h"
#include "src/runs/run_start.h"
#include "src/runs/run_state.h"

namespace dfrun {

struct RunSummary {
  std::string path;  // path of the run directory, one of FindRuns()
  RunState state = RunState::kUnknown;
  std::optional<RunStart> start;              // the newest one; nothing: no record can be read
  std::string name;                           // name of the spec
  std::optional<int64_t> steps;               // steps of the whole job
  double time_s = 0;                          // seconds of all starts, but of those that were killed and gone on from
  std::map<std::string, std::string> params;  // params by name, seed, keys of train, and what any --set of it sets
  std::set<std::string> of_params;            // keys of train among them whose values params give
  MetricsEnd metrics;
  std::optional<MetricGoal> goal;
};

// Finds the run directories in `path`, to a depth of 8, or `path` itself: those with a run.json or a metrics.jsonl.
// Links to directories are not followed, names that begin with a dot are passed over, and nothing is looked for within
// a run directory. Sorted. NoInput where the path is no directory.
Result<std::vector<std::string>> FindRuns(const std::string& path);

// Reads the files of a run directory. What is missing or damaged is left out. Nothing is written.
// Thread safety: any thread. Blocks: on files.
RunSummary SummarizeRun(const std::string& path);

}  // namespace dfrun

#endif  // DFRUN_SRC_RUNS_RUN_SUMMARY_H_
