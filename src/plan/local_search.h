// Local search for placements: simulated annealing (Kirkpatrick, Gelatt and Vecchi, Science 220, 1983), then descent.
//
// Thread safety: functions without state.
#ifndef DFRUN_SRC_PLAN_LOCAL_SEARCH_H_
#define DFRUN_SRC_PLAN_LOCAL_SEARCH_H_

#include <cstdint>

#include "src/plan/group_graph.h"
#include "src/plan/placement_problem.h"

namespace dfrun {

struct LocalSearchOptions {
  int64_t moves = 100000;  // that are tried
  uint64_t seed = 1;
  // Temperatures of the first and the last move, as a share of the cost of the start.
  double first_temperature = 0.1;
  double last_temperature = 1e-5;
};

// Returns the best placement that was seen, which is never worse than the start. The start must fit the memory, and
// have a finite cost. Equal arguments give an equal placement. Time: that of the moves, each by the degrees of its
// nodes.
Placement ImprovePlacement(const PlacementProblem& problem, PlacementObjective objective, const GroupGraph& graph,
                           const Placement& start, const LocalSearchOptions& options);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_LOCAL_SEARCH_H_
