// `dfrun runs DIR`: lists the runs below a directory.
#include <memory>

#include "jobs/command.h"
#include "jobs/runs/run_listing.h"
#include "src/base/terminal.h"
#include "src/runs/run_filter.h"

namespace dfrun::jobs {
namespace {

struct RunsOptions {
  std::string directory;
  std::string where;
  std::string sort;
  bool csv = false;
  bool json = false;
};

Result<std::vector<RunSummary>> ListRuns(const RunsOptions& options) {
  DF_ASSIGN(const RunFilter filter, RunFilter::Parse(options.where));
  DF_ASSIGN(const std::vector<std::string> paths, FindRuns(options.directory));
  std::vector<RunSummary> runs;
  std::vector<RunCells> cells;
  for (const std::string& path : paths) {
    runs.push_back(SummarizeRun(path));
    cells.push_back(CellsOf(runs.back()));
  }
  if (!runs.empty()) DF_TRY(filter.CheckNames(cells));
  DF_ASSIGN(const std::vector<size_t> order, SortRuns(runs, cells, options.sort));
  std::vector<RunSummary> listed;
  for (const size_t at : order) {
    if (filter.Takes(cells[at])) listed.push_back(std::move(runs[at]));
  }
  return listed;
}

Result<int> ShowRuns(const RunsOptions& options) {
  DF_ASSIGN(const std::vector<RunSummary> runs, ListRuns(options));
  if (options.json) {
    WriteText(stdout, RunJson(runs));
  } else if (options.csv) {
    WriteText(stdout, RunCsv(runs));
  } else if (runs.empty()) {
    WriteText(stdout, "no runs\n");
  } else {
    WriteText(stdout, RunTable(runs));
  }
  return 0;
}

RunCommand SetupRuns(Options& args) {
  auto options = std::make_shared<RunsOptions>();
  args.Value("directory", options->directory, "The directory below which run directories are looked for").Required();
  args.Value("--where", options->where,
             "List those alone for which this holds: params, metrics, state, compared with <, <=, =, !=, >=, > and "
             "joined by `and`: 'lr < 0.1 and state = done'");
  args.Value("--sort", options->sort,
             "A param, metric or column to sort by, the smallest first, or the best first where the specs say what is "
             "best; =-NAME reverses");
  const Option csv = args.Flag("--csv", options->csv, "Print CSV");
  args.Flag("--json", options->json, "Print a list of JSON objects, with all params and metrics").Excludes(csv);
  return [options] { return ShowRuns(*options); };
}

COMMAND("runs", "Lists runs with what tells them apart: params, metrics, state.",
        "dfrun runs runs/ --where 'lr < 0.1' --sort eval/accuracy", SetupRuns);

}  // namespace
}  // namespace dfrun::jobs
