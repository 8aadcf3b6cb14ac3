// `dfrun compare --graph A B`: finds the first node where two graphs differ.
#include <memory>

#include "jobs/command.h"
#include "jobs/compare/compare_graphs.h"
#include "jobs/file_rules.h"
#include "jobs/model.h"

namespace dfrun::jobs {
namespace {

struct CompareOptions {
  GraphComparison graphs;
  bool graph = false;
};

RunCommand SetupCompare(Options& args) {
  auto options = std::make_shared<CompareOptions>();
  GraphComparison& graphs = options->graphs;
  args.Value("a", graphs.a, "A spec").Required();
  args.Value("b", graphs.b, "A spec, or a graph").Required();
  args.Flag("--graph", options->graph, "Run a step of both with the same values, and compare the nodes of equal names");
  args.Values("--set", graphs.sets, kSetHelp);
  args.Values("--feed", graphs.feeds, "With --graph: NAME[:port]=FILE.h5:/path or NAME=0.5, to both graphs");
  args.Value("--ulps", graphs.ulps,
             "With --graph: distance in units of the last place that is no difference; default: 0")
      .AtLeast(0);
  AddAllowPaths(args, graphs.allow_paths);
  return [options]() -> Result<int> {
    if (options->graph) return CompareGraphs(options->graphs);
    return Error(Code::kUsage, "give --graph");
  };
}

COMMAND("compare", "Compares two graphs node by node; exit code 0 where they are the same, 1 where not.",
        "dfrun compare --graph a.yaml b.pb --ulps 4", SetupCompare);

}  // namespace
}  // namespace dfrun::jobs
