// The best cut of an order of groups into segments, each on a device of its own.
//
// Thread safety: functions without state.
#ifndef DFRUN_SRC_PLAN_SEGMENT_SPLIT_H_
#define DFRUN_SRC_PLAN_SEGMENT_SPLIT_H_

#include <optional>
#include <vector>

#include "src/plan/placement_problem.h"

namespace dfrun {

// Returns the placement that cuts the order into at most as many segments as there are devices, so that the largest
// load is smallest for kThroughput, and the sum of loads for kLatency, where groups on the CPU are segments of one
// group each. Nothing where no cut fits the memory. Time: for each group the length of the longest segment that fits,
// and the number of devices.
std::optional<Placement> SplitOrder(const PlacementProblem& problem, PlacementObjective objective,
                                    const std::vector<int>& order);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_SEGMENT_SPLIT_H_
