// `dfrun plan --graph FILE`: places the nodes of a benchmark graph on devices, and bounds the cost from below.
#include <array>
#include <cstdio>
#include <memory>

#include "jobs/command.h"
#include "jobs/json.h"
#include "jobs/text_table.h"
#include "src/base/terminal.h"
#include "src/base/text.h"
#include "src/plan/find_placement.h"
#include "src/plan/placement_cost.h"
#include "src/plan/read_placement_graph.h"

namespace dfrun::jobs {
namespace {

struct PlanCommandOptions {
  std::string graph;
  std::string objective = "throughput";
  int effort = 1;
  bool json = false;
};

Result<PlacementObjective> ObjectiveOf(const std::string& name) {
  if (name == "throughput") return PlacementObjective::kThroughput;
  if (name == "latency") return PlacementObjective::kLatency;
  return Error(Code::kUsage, "--objective: '", name, "' is neither throughput nor latency");
}

// cost / bound - 1; 0 where both are.
double GapOf(const FoundPlacement& plan) {
  return plan.cost <= plan.bound.cost ? 0 : plan.cost / plan.bound.cost - 1;
}

std::string PlanJson(const PlacementGraph& graph, const FoundPlacement& plan) {
  const std::string devices = Join(graph.problem.nodes(), ", ", [&](const PlacementNode& node) {
    return JsonString(graph.problem.DeviceName(plan.placement[node.group]));
  });
  return StrCat("{\"cost\": ", JsonNumber(plan.cost), ", \"bound\": ", JsonNumber(plan.bound.cost),
                ", \"gap\": ", JsonNumber(GapOf(plan)), ", \"placement\": [", devices,
                "], \"reason\": ", JsonString(plan.bound.reason), "}\n");
}

std::string Digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

std::string PlanText(const PlacementGraph& graph, PlacementObjective objective, const FoundPlacement& plan) {
  std::vector<std::vector<std::string>> rows = {{"device", "load", "memory", "nodes"}};
  const std::vector<DeviceUse> uses = DeviceUses(graph.problem, objective, plan.placement);
  for (size_t d = 0; d < uses.size(); ++d) {
    rows.push_back({graph.problem.DeviceName(static_cast<int>(d)), Digits(uses[d].load), Digits(uses[d].bytes),
                    StrCat(uses[d].nodes)});
  }
  return StrCat("cost:   ", Digits(plan.cost), "\nbound:  ", Digits(plan.bound.cost),
                "\ngap:    ", Digits(100 * GapOf(plan)), " %\nreason: ", plan.bound.reason, "\n\n", TextTable(rows));
}

Result<int> ShowPlan(const PlanCommandOptions& options) {
  FindPlacementOptions plan_options;
  DF_ASSIGN(plan_options.objective, ObjectiveOf(options.objective));
  plan_options.effort = options.effort;
  const Result<PlacementGraph> graph = ReadPlacementGraph(options.graph);
  if (graph.status().code() == Code::kInvalidArgument) return Error(Code::kBadSpec, graph.status().message());
  DF_TRY(graph.status());
  const Result<FoundPlacement> plan = FindPlacement(graph->problem, plan_options);
  if (plan.status().code() == Code::kInvalidArgument) {
    return Error(Code::kBadSpec, options.graph, ": ", plan.status().message());
  }
  DF_TRY(plan.status());
  WriteText(stdout, options.json ? PlanJson(*graph, *plan) : PlanText(*graph, plan_options.objective, *plan));
  return 0;
}

RunCommand SetupPlan(Options& args) {
  auto options = std::make_shared<PlanCommandOptions>();
  args.Value("--graph", options->graph,
             "A placement graph as JSON, in the form of the benchmark graphs of msr-fiddle/dnn-partitioning")
      .Required();
  args.Value("--objective", options->objective,
             "throughput (the default): the largest load of a device; or latency: the time of one pass");
  args.Value("--effort", options->effort, "Rounds of the search, of which the best placement counts; default: 1")
      .Between(1, 1000);
  args.Flag("--json", options->json,
            "Print one JSON object: cost, bound, gap (cost / bound - 1), placement (a device a node, in the order of "
            "the nodes' ids) and reason");
  return [options] { return ShowPlan(*options); };
}

COMMAND("plan", "Places the nodes of a graph on devices, and shows how far from the best that can be.",
        "dfrun plan --graph graph.json --objective latency", SetupPlan);

}  // namespace
}  // namespace dfrun::jobs
