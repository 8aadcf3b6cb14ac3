#include "src/plan/placement_cost.h"

#include <cmath>

#include "src/plan/device_loads.h"
#include "src/plan/pass_time.h"

namespace dfrun {

std::vector<DeviceUse> DeviceUses(const PlacementProblem& problem, PlacementObjective objective,
                                  const Placement& placement) {
  const DeviceLoads loads(problem, placement, problem.num_devices(objective));
  std::vector<DeviceUse> uses(loads.num_devices());
  for (int d = 0; d < loads.num_devices(); ++d) {
    uses[d].load = loads.load(d);
    uses[d].bytes = loads.bytes(d);
  }
  for (const PlacementNode& node : problem.nodes()) ++uses[placement[node.group]].nodes;
  return uses;
}

Result<double> PlacementCost(const PlacementProblem& problem, PlacementObjective objective,
                             const Placement& placement) {
  const DeviceLoads loads(problem, placement, problem.num_devices(objective));
  for (int g = 0; g < problem.num_groups(); ++g) {
    if (problem.Runs(g, placement[g])) continue;
    return InvalidArgument(problem.nodes()[problem.groups()[g].nodes[0]].name, " does not run on ",
                           problem.DeviceName(placement[g]));
  }
  for (int d = 0; d < loads.num_devices(); ++d) {
    if (loads.Fits(d)) continue;
    return InvalidArgument(problem.DeviceName(d), " has ", problem.devices().accelerator_bytes,
                           " bytes, and its nodes need ", loads.bytes(d));
  }
  if (objective == PlacementObjective::kLatency) {
    const double time = PassTime().Of(loads);
    if (std::isfinite(time)) return time;
    return InvalidArgument("invocations of accelerators wait for each other");
  }
  return loads.LargestLoad();
}

}  // namespace dfrun
