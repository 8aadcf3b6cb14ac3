// Placements from which the local search starts.
//
// Thread safety: functions without state.
#ifndef DFRUN_SRC_PLAN_PLACEMENT_STARTS_H_
#define DFRUN_SRC_PLAN_PLACEMENT_STARTS_H_

#include <vector>

#include "src/plan/group_graph.h"
#include "src/plan/placement_problem.h"

namespace dfrun {

struct PlacementStart {
  Placement placement;
  double cost = 0;
};

// Returns distinct placements that fit, the cheapest first: all on one device, the best cuts of some topological orders
// into segments, and the largest groups first on the emptiest accelerator. None where no such one fits.
std::vector<PlacementStart> PlacementStarts(const PlacementProblem& problem, PlacementObjective objective,
                                            const GroupGraph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_PLACEMENT_STARTS_H_
