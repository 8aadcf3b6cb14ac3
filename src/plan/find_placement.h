// Finds a placement of low cost, and a bound that no placement is below.
//
// Thread safety: functions without state.
#ifndef DFRUN_SRC_PLAN_FIND_PLACEMENT_H_
#define DFRUN_SRC_PLAN_FIND_PLACEMENT_H_

#include <cstdint>

#include "src/plan/lower_bound.h"
#include "src/plan/placement_problem.h"

namespace dfrun {

struct FindPlacementOptions {
  PlacementObjective objective = PlacementObjective::kThroughput;
  int effort = 1;  // rounds of the local search, from 1 on; a larger number never gives a larger cost
  uint64_t seed = 1;
};

struct FoundPlacement {
  Placement placement;
  double cost = 0;
  PlacementBound bound;
};

// Returns the best placement found. Equal arguments give an equal one. InvalidArgument where the memory is not enough
// for any placement that was found, and for kLatency where the graph has a cycle. Time: that of some hundred thousand
// moves of groups for each unit of effort, and that of the cuts of SplitOrder().
Result<FoundPlacement> FindPlacement(const PlacementProblem& problem, const FindPlacementOptions& options);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_FIND_PLACEMENT_H_
