// `dfrun plan`: forecasts the step of a job on a number of ranks, or places the nodes of a benchmark graph; both with a
// bound that no placement is below.
#include <cstdio>
#include <memory>

#include "jobs/command.h"
#include "jobs/commands/device_counts.h"
#include "jobs/model.h"
#include "jobs/plan/learn_placement.h"
#include "jobs/plan/plan_of_graph.h"
#include "jobs/plan/plan_of_spec.h"
#include "jobs/plan/write_placement.h"
#include "src/base/terminal.h"
#include "src/framework/device/device_types.h"

namespace dfrun::jobs {
namespace {

struct PlanCommandOptions {
  SpecPlanOptions of_spec;
  GraphPlanOptions of_graph;
  LearnOptions learn;
  OutputFile placement{.flag = "--write-placement", .path = "", .is_edited = true};
  DeviceCountOptions devices;
  bool json = false;
};

Result<std::string> MakePlan(PlanCommandOptions& options) {
  if (options.of_spec.spec.empty() == options.of_graph.graph.empty()) {
    return Error(Code::kUsage,
                 "give the spec of a job, or a placement graph with --graph: dfrun plan "
                 "configs/digits_mlp.yaml --ranks 4");
  }
  options.of_graph.json = options.of_spec.json = options.json;
  if (!options.of_graph.graph.empty()) return PlanOfGraph(options.of_graph);
  options.of_spec.devices = options.devices.Given();
  if (!options.of_spec.cluster_file.empty() && !options.of_spec.devices.empty()) {
    return Error(Code::kUsage, "--", DeviceCountKey(options.of_spec.devices.begin()->first),
                 ": the file of --cluster says which devices a rank has");
  }
  if (!options.placement.path.empty()) DF_TRY(WritePlacement(options.of_spec, options.placement));
  if (options.learn.seconds > 0) return LearnPlacement(options.of_spec, options.learn);
  return PlanOfSpec(options.of_spec);
}

RunCommand SetupPlan(Options& args) {
  auto options = std::make_shared<PlanCommandOptions>();
  SpecPlanOptions& of_spec = options->of_spec;
  GraphPlanOptions& of_graph = options->of_graph;
  const Option spec = args.Value("spec", of_spec.spec, "The job's YAML file");
  args.Values("--set", of_spec.sets, kSetHelp).Needs(spec);
  args.Value("--ranks", of_spec.ranks,
             "Ranks that the job will have, or several numbers: 1,2,4; default: what it needs")
      .Needs(spec);
  const Option per_node =
      args.Value("--ranks-per-node", of_spec.ranks_per_node, "Ranks on each host; default: all on one")
          .Between(1, 1 << 20)
          .Needs(spec);
  args.Value("--cost-file", of_spec.cost_file,
             "The speeds of the machine, by `dfrun bench node`; without it they are assumed")
      .Needs(spec);
  Option profile = args.Value("--profile", options->learn.profile, "With --learn: the run with a trace").Needs(spec);
  const Option learn =
      args.Seconds(
              "--learn", options->learn.seconds,
              "Search for a placement by the run's trace for so long; the run keeps it, and jobs take it that name the "
              "run as `profile` of `placement:`")
          .Between(1, 86'400)
          .Needs(profile);
  profile.Needs(learn);
  const Option placement =
      args.Value("--write-placement", options->placement.path,
                 "Write the device of each node that may be moved, as a file for `placement: {file: FILE}`")
          .Needs(spec);
  args.Flag("--force", options->placement.force, "Let --write-placement replace a file").Needs(placement);
  args.Value("--cluster", of_spec.cluster_file,
             "A YAML file of nodes, devices, memory and links, as those in configs/clusters")
      .Needs(spec)
      .Excludes(per_node)
      .Excludes(profile)
      .Excludes(placement);
  options->devices.Declare(args);
  const Option graph =
      args.Value("--graph", of_graph.graph,
                 "A placement graph as JSON, in the form of the benchmark graphs of msr-fiddle/dnn-partitioning");
  args.Value("--objective", of_graph.objective,
             "throughput (the default): the largest load of a device; or latency: the time of one pass")
      .Needs(graph);
  args.Value("--effort", of_graph.effort, "Rounds of the search, of which the best placement counts; default: 1")
      .Between(1, 1000)
      .Needs(graph);
  args.Flag("--json", options->json,
            "Print one JSON object: cost, bound, gap (cost / bound - 1), placement (a device a node) and reason");
  graph.Excludes(spec);
  return [options]() -> Result<int> {
    DF_ASSIGN(const std::string text, MakePlan(*options));
    WriteText(stdout, text);
    return 0;
  };
}

COMMAND("plan", "Forecasts a job's step, or places a graph's nodes, and shows how far from the best that can be.",
        "dfrun plan configs/digits_mlp.yaml --ranks 4", SetupPlan);

}  // namespace
}  // namespace dfrun::jobs
