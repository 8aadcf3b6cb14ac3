// Lower bounds: costs that no placement is below.
//
// Thread safety: functions without state.
#ifndef DFRUN_SRC_PLAN_LOWER_BOUND_H_
#define DFRUN_SRC_PLAN_LOWER_BOUND_H_

#include <string>

#include "src/plan/placement_problem.h"

namespace dfrun {

struct PlacementBound {
  double cost = 0;
  std::string reason;  // the cause in words: what no placement avoids
};

// Returns the largest of the bounds below, each of which has its proof beside its code.
PlacementBound FindLowerBound(const PlacementProblem& problem, PlacementObjective objective);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_LOWER_BOUND_H_
