// `dfrun plot RUN... --out curves.svg`: draws metrics of runs.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>

#include "jobs/command.h"
#include "jobs/output_file.h"
#include "src/base/name_pattern.h"
#include "src/base/printable.h"
#include "src/base/text.h"
#include "src/runs/metrics_file.h"
#include "src/runs/svg_plot.h"

namespace dfrun::jobs {
namespace {

struct PlotOptions {
  std::vector<std::string> runs;
  std::vector<std::string> metrics;  // patterns
  std::string out;
  bool log_y = false;
  bool force = false;
};

Result<std::vector<PlottedRun>> ReadRuns(const std::vector<std::string>& paths) {
  std::vector<PlottedRun> runs;
  for (const std::string& path : paths) {
    Result<std::map<std::string, Curve>> curves = ReadCurves(path);
    if (curves.status().code() == Code::kNotFound)
      return NoInput("'", path, "' is no run directory: it has no metrics.jsonl");
    DF_TRY(curves.status());
    runs.push_back({path, *std::move(curves)});
  }
  return runs;
}

std::string InQuotes(const std::string& name) {
  return StrCat("'", name, "'");
}

// The names that the patterns match, in the order of the patterns; without patterns all metrics but those of machines.
Result<std::vector<std::string>> ChooseMetrics(const std::vector<PlottedRun>& runs,
                                               const std::vector<std::string>& patterns) {
  std::set<std::string> all;
  for (const PlottedRun& run : runs) {
    for (const auto& [name, curve] : run.curves) all.insert(name);
  }
  const std::vector<std::string> names(all.begin(), all.end());
  std::vector<std::string> chosen;
  if (patterns.empty()) {
    std::copy_if(names.begin(), names.end(), std::back_inserter(chosen),
                 [](const std::string& name) { return !IsOfMachine(name); });
  }
  for (const std::string& text : patterns) {
    const NamePattern pattern(text);
    bool is_found = false;
    for (const std::string& name : names) {
      if (!pattern.Matches(name)) continue;
      is_found = true;
      if (std::find(chosen.begin(), chosen.end(), name) == chosen.end()) chosen.push_back(name);
    }
    if (!is_found) {
      return Error(Code::kUsage, "--metric: no run has '", text, "'; the nearest names are ",
                   Join(NearestNames(pattern, names), ", ", InQuotes));
    }
  }
  if (chosen.empty()) return NoInput("the runs have no metrics yet that are numbers");
  return chosen;
}

Result<int> Plot(const PlotOptions& options) {
  const OutputFile out{"--out", options.out, options.force, options.runs};
  DF_TRY(out.Check());
  DF_ASSIGN(const std::vector<PlottedRun> runs, ReadRuns(options.runs));
  DF_ASSIGN(const std::vector<std::string> metrics, ChooseMetrics(runs, options.metrics));
  DF_TRY(out.WriteText(MarkedMarkup(DrawSvg(runs, metrics, options.log_y))));
  std::printf("%s: %s\n", PrintableLine(options.out).c_str(), PrintableLine(Join(metrics)).c_str());
  return 0;
}

RunCommand SetupPlot(Options& args) {
  auto options = std::make_shared<PlotOptions>();
  args.Words("run", options->runs, "Run directories").Required();
  args.Value("--out", options->out, "The SVG file to write").Required();
  args.Values("--metric", options->metrics,
              "A metric to draw, or a pattern such as 'eval/*'; default: all but times and memory");
  args.Flag("--log-y", options->log_y, "Values on a logarithmic axis, without those that are not above 0");
  args.Flag("--force", options->force, "Replace a file that dfrun did not write");
  return [options] { return Plot(*options); };
}

COMMAND("plot", "Draws the metrics of runs as curves in an SVG file, which any browser shows.",
        "dfrun plot runs/a runs/b --metric loss --out curves.svg", SetupPlot);

}  // namespace
}  // namespace dfrun::jobs
