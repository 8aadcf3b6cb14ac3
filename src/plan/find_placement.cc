#include "src/plan/find_placement.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "src/plan/group_graph.h"
#include "src/plan/local_search.h"
#include "src/plan/placement_cost.h"
#include "src/plan/placement_starts.h"

namespace dfrun {
namespace {

// Moves of a unit of effort: some seconds for the largest of the graphs in docs/plan.md.
constexpr int64_t kMovesOfGroup = 20000;
constexpr int64_t kMaxMoves = 3000000;
constexpr size_t kMaxStarts = 3;
// The first temperatures of the searches from each start: many short searches find the least loads of the graphs in
// docs/plan.md, fewer long ones their least times of a pass.
constexpr std::array<double, 4> kThroughputTemperatures = {0.1, 0.05, 0.02, 0.01};
constexpr std::array<double, 2> kLatencyTemperatures = {0.1, 0.02};
// The first temperatures of the searches from the best placement.
constexpr std::array<double, 2> kLateTemperatures = {0.02, 0.005};

std::span<const double> TemperaturesOf(PlacementObjective objective) {
  if (objective == PlacementObjective::kLatency) return kLatencyTemperatures;
  return kThroughputTemperatures;
}

// Searches from the cheapest starts, then from the best placement, until the bound is met.
Result<FoundPlacement> SearchFrom(const PlacementProblem& problem, const FindPlacementOptions& options,
                                  const GroupGraph& graph, const std::vector<PlacementStart>& starts) {
  FoundPlacement best{starts[0].placement, starts[0].cost, FindLowerBound(problem, options.objective)};
  const size_t used = std::min(starts.size(), kMaxStarts);
  const std::span<const double> temperatures = TemperaturesOf(options.objective);
  LocalSearchOptions search;
  search.moves = std::min(kMovesOfGroup * problem.num_groups(), kMaxMoves) /
                 static_cast<int64_t>(used * temperatures.size() + kLateTemperatures.size());
  search.seed = options.seed;
  const auto improve = [&](const Placement& start, double temperature) -> Status {
    if (best.cost <= best.bound.cost) return Status();
    ++search.seed;
    search.first_temperature = temperature;
    Placement found = ImprovePlacement(problem, options.objective, graph, start, search);
    DF_ASSIGN(const double cost, PlacementCost(problem, options.objective, found));
    if (cost < best.cost) best = {std::move(found), cost, std::move(best.bound)};
    return Status();
  };
  for (int round = 0; round < options.effort; ++round) {
    for (const double temperature : temperatures) {
      for (size_t i = 0; i < used; ++i) DF_TRY(improve(starts[i].placement, temperature));
    }
    for (const double temperature : kLateTemperatures) DF_TRY(improve(Placement(best.placement), temperature));
  }
  return best;
}

}  // namespace

Result<FoundPlacement> FindPlacement(const PlacementProblem& problem, const FindPlacementOptions& options) {
  if (options.objective == PlacementObjective::kLatency && !problem.acyclic()) {
    return InvalidArgument(problem.nodes()[problem.order().back()].name,
                           " is on a cycle or behind one, and one pass through a cycle has no end; take the objective "
                           "throughput");
  }
  const GroupGraph graph(problem);
  const std::vector<PlacementStart> starts = PlacementStarts(problem, options.objective, graph);
  if (starts.empty()) {
    return InvalidArgument("no placement was found that fits ", problem.devices().accelerators, " accelerators of ",
                           problem.devices().accelerator_bytes, " bytes and ", problem.devices().cpus,
                           " CPU cores; give more devices or more memory");
  }
  return SearchFrom(problem, options, graph, starts);
}

}  // namespace dfrun
