// `dfrun compare A B`: says where two runs differ; with --graph, where two graphs do.
#include <memory>

#include "jobs/command.h"
#include "jobs/compare/compare_graphs.h"
#include "jobs/file_rules.h"
#include "jobs/model.h"
#include "jobs/runs/compare_runs.h"

namespace dfrun::jobs {
namespace {

struct CompareOptions {
  GraphComparison graphs;
  bool graph = false;
};

RunCommand SetupCompare(Options& args) {
  auto options = std::make_shared<CompareOptions>();
  GraphComparison& graphs = options->graphs;
  args.Value("a", graphs.a, "A run directory; with --graph a spec").Required();
  args.Value("b", graphs.b, "The run directory to compare it with; with --graph a spec or a graph").Required();
  const Option graph = args.Flag("--graph", options->graph,
                                 "Run a step of both with the same values, and compare the nodes of equal names");
  args.Values("--set", graphs.sets, kSetHelp).Needs(graph);
  args.Values("--feed", graphs.feeds, "With --graph: NAME[:port]=FILE.h5:/path or NAME=0.5, to both graphs")
      .Needs(graph);
  args.Value("--ulps", graphs.ulps,
             "With --graph: distance in units of the last place that is no difference; default: 0")
      .AtLeast(0)
      .Needs(graph);
  AddAllowPaths(args, graphs.allow_paths);
  return [options]() -> Result<int> {
    if (options->graph) return CompareGraphs(options->graphs);
    return ShowDifferences(options->graphs.a, options->graphs.b);
  };
}

COMMAND("compare", "Says where two runs, or with --graph two graphs, differ; exit code 1 where they do.",
        "dfrun compare runs/a runs/b", SetupCompare);

}  // namespace
}  // namespace dfrun::jobs
