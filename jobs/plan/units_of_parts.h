// The compiled parts of a step as units for its bounds (src/plan/step_units.h).
#ifndef DFRUN_JOBS_PLAN_UNITS_OF_PARTS_H_
#define DFRUN_JOBS_PLAN_UNITS_OF_PARTS_H_

#include <map>
#include <string>
#include <vector>

#include "src/costs/cost_table.h"
#include "src/graph/graph.h"
#include "src/partition/partition.h"
#include "src/placement/cluster.h"
#include "src/plan/step_units.h"

namespace dfrun::jobs {

// Ranks by names of nodes.
using BoundRanks = std::map<std::string, int, std::less<>>;

// The nodes of a model whose `device` leaves one rank of the cluster.
BoundRanks RanksThatNodesName(const Graph& model, const Cluster& cluster);

// Makes the units. Tasks are the nodes of all partitions in their order; `seconds` has for each those of its work by
// type, in the order in which the cluster has the types. `bound` holds for the copies that replicas have of a node too.
// Values that the wire may carry in 16 bits count half. Thread safety: any thread.
StepUnits UnitsOfParts(const std::vector<const Partition*>& partitions, const Cluster& cluster, const CostTable& costs,
                       const std::vector<std::vector<double>>& seconds, const BoundRanks& bound, bool is_compressed);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_UNITS_OF_PARTS_H_
