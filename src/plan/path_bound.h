// A lower bound of the time of one pass from a path through the graph and the accelerators' memory.
//
// Thread safety: functions without state.
#ifndef DFRUN_SRC_PLAN_PATH_BOUND_H_
#define DFRUN_SRC_PLAN_PATH_BOUND_H_

#include <vector>

#include "src/plan/node_reach.h"
#include "src/plan/placement_problem.h"

namespace dfrun {

// Returns a time that no pass is below. The path is one of the graph's, node after node. Time: for each node of the
// path and each longer segment from it that fits an accelerator, the nodes of that segment.
double PathBound(const PlacementProblem& problem, const NodeReach& reach, const std::vector<int>& path);

// Returns some paths from a node without predecessors to one without successors, the heaviest by several weights.
std::vector<std::vector<int>> HeavyPaths(const PlacementProblem& problem);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_PATH_BOUND_H_
