// A lower bound of the load of an accelerator from nodes that it has and nodes that it has not.
//
// Thread safety: functions without state.
#ifndef DFRUN_SRC_PLAN_SEGMENT_LOAD_H_
#define DFRUN_SRC_PLAN_SEGMENT_LOAD_H_

#include <vector>

#include "src/plan/path_segment.h"
#include "src/plan/placement_problem.h"

namespace dfrun {

// Returns a load that no set of groups is below which has all members of the segment, no node with `outside[node]`, and
// fits the memory. Time: a few least cuts of a network of the nodes that are neither.
double LeastLoad(const PlacementProblem& problem, const PathSegment& segment, const std::vector<bool>& outside);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_SEGMENT_LOAD_H_
