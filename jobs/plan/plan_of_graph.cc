#include "jobs/plan/plan_of_graph.h"

#include <array>
#include <cstdio>
#include <vector>

#include "jobs/json.h"
#include "jobs/text_table.h"
#include "src/base/text.h"
#include "src/plan/find_placement.h"
#include "src/plan/placement_cost.h"
#include "src/plan/read_placement_graph.h"

namespace dfrun::jobs {
namespace {

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

}  // namespace

Result<std::string> PlanOfGraph(const GraphPlanOptions& options) {
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
  return options.json ? PlanJson(*graph, *plan) : PlanText(*graph, plan_options.objective, *plan);
}

}  // namespace dfrun::jobs
