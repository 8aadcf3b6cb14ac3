// The forecast of a step from its compiled parts: how long it takes, and why.
#ifndef DFRUN_JOBS_PLAN_STEP_FORECAST_H_
#define DFRUN_JOBS_PLAN_STEP_FORECAST_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "jobs/plan/planned_parts.h"
#include "jobs/plan/units_of_parts.h"
#include "src/costs/cost_table.h"
#include "src/graph/trip_counts.h"
#include "src/placement/cluster.h"
#include "src/plan/lower_bound.h"
#include "src/plan/placed_step.h"

namespace dfrun::jobs {

struct StepForecast {
  std::vector<std::string> devices;  // full names, as the numbers of PlacedRun count them
  PlacedRun step;
  PlacementBound bound;
  bool has_loops = false;  // there are loops or conditionals
  TripCounts loops;        // loops of known trip count, whose nodes count as often as they run
};

// Simulates the step, or those beside each other, that these parts make on the cluster, of whose ranks
// `ranks_per_node` are on each host, by the costs of the table. A node takes its kernel's time and the executor's. Each
// message passes the ports of its ranks, which it shares with others (src/plan/placed_step.h). Messages of values whose
// shapes are not known have no bytes.
// Thread safety: one thread.
StepForecast ForecastStep(const std::vector<PlannedPart>& parts, const Cluster& cluster, const CostTable& costs,
                          int ranks_per_node, const StepBinding& binding);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_STEP_FORECAST_H_
