// The forecast of a step from its compiled parts: how long it takes, and why.
#ifndef DFRUN_JOBS_PLAN_STEP_FORECAST_H_
#define DFRUN_JOBS_PLAN_STEP_FORECAST_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "jobs/plan/units_of_parts.h"
#include "src/costs/cost_table.h"
#include "src/graph/trip_counts.h"
#include "src/partition/partition.h"
#include "src/placement/cluster.h"
#include "src/plan/lower_bound.h"
#include "src/plan/simulate_step.h"

namespace dfrun::jobs {

// The messages between devices that are as far apart as this.
struct LinkUse {
  int64_t messages = 0;
  int64_t bytes = 0;  // bytes of values; those of unknown shapes count nothing
};

struct StepForecast {
  std::vector<std::string> devices;  // full names, as the numbers of SimulatedStep count them
  SimulatedStep step;
  PlacementBound bound;
  std::map<PairClass, LinkUse> links;
  bool has_loops = false;  // there are loops or conditionals
  TripCounts loops;        // loops of known trip count, whose nodes count as often as they run
};

// Simulates the step, or those beside each other, that these partitions make on the cluster, of whose ranks
// `ranks_per_node` are on each host, by the costs of the table. A node takes its kernel's time and the executor's. Each
// rank sends one message at a time to other hosts, and one to its own other devices; it copies one at a time that comes
// from its own host.
// Thread safety: one thread.
StepForecast ForecastStep(const std::vector<const Partition*>& partitions, const Cluster& cluster,
                          const CostTable& costs, int ranks_per_node, const StepBinding& binding);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_STEP_FORECAST_H_
