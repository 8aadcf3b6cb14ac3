// The cost of a placement, computed from nothing but the definitions in placement_problem.h.
//
// Thread safety: functions without state.
#ifndef DFRUN_SRC_PLAN_PLACEMENT_COST_H_
#define DFRUN_SRC_PLAN_PLACEMENT_COST_H_

#include <vector>

#include "src/plan/placement_problem.h"

namespace dfrun {

struct DeviceUse {
  double load = 0;
  double bytes = 0;
  int nodes = 0;
};

// Returns what each device has to do, by device.
std::vector<DeviceUse> DeviceUses(const PlacementProblem& problem, PlacementObjective objective,
                                  const Placement& placement);

// Returns the cost. InvalidArgument names the device where a group cannot run or the memory is not enough, and for
// kLatency where invocations wait for each other.
Result<double> PlacementCost(const PlacementProblem& problem, PlacementObjective objective, const Placement& placement);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_PLACEMENT_COST_H_
