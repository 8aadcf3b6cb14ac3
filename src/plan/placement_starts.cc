#include "src/plan/placement_starts.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "src/plan/placement_cost.h"
#include "src/plan/segment_split.h"

namespace dfrun {
namespace {

// The largest groups by bytes come first; each goes to the accelerator with the most memory left, else to a CPU.
std::optional<Placement> LargestFirst(const PlacementProblem& problem) {
  std::vector<int> order(problem.num_groups());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return problem.groups()[a].bytes > problem.groups()[b].bytes; });
  const PlacementDevices& devices = problem.devices();
  std::vector<double> left(devices.accelerators, devices.accelerator_bytes);
  Placement placement(problem.num_groups());
  for (const int g : order) {
    const auto most = std::max_element(left.begin(), left.end());
    const bool fits = most != left.end() && problem.Runs(g, 0) && problem.groups()[g].bytes <= *most;
    if (!fits && devices.cpus == 0) return std::nullopt;
    placement[g] = fits ? static_cast<int>(most - left.begin()) : devices.accelerators;
    if (fits) *most -= problem.groups()[g].bytes;
  }
  return placement;
}

}  // namespace

std::vector<PlacementStart> PlacementStarts(const PlacementProblem& problem, PlacementObjective objective,
                                            const GroupGraph& graph) {
  std::vector<std::optional<Placement>> found;
  for (const int device : {0, problem.devices().accelerators}) {
    if (device < problem.num_devices(objective)) found.emplace_back(Placement(problem.num_groups(), device));
  }
  for (const std::vector<int>& order : {graph.DepthOrder(false), graph.DepthOrder(true), graph.LevelOrder()}) {
    found.push_back(SplitOrder(problem, objective, order));
  }
  found.push_back(LargestFirst(problem));
  std::vector<PlacementStart> starts;
  for (std::optional<Placement>& placement : found) {
    if (!placement) continue;
    const Result<double> cost = PlacementCost(problem, objective, *placement);
    if (cost.ok()) starts.push_back({std::move(*placement), *cost});
  }
  std::stable_sort(starts.begin(), starts.end(),
                   [](const PlacementStart& a, const PlacementStart& b) { return a.cost < b.cost; });
  const auto same = [](const PlacementStart& a, const PlacementStart& b) { return a.placement == b.placement; };
  starts.erase(std::unique(starts.begin(), starts.end(), same), starts.end());
  return starts;
}

}  // namespace dfrun
