// The compiled parts of a step as units for its bounds (src/plan/step_units.h).
#ifndef DFRUN_JOBS_PLAN_UNITS_OF_PARTS_H_
#define DFRUN_JOBS_PLAN_UNITS_OF_PARTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "jobs/plan/planned_parts.h"
#include "src/costs/cost_table.h"
#include "src/graph/graph.h"
#include "src/placement/cluster.h"
#include "src/plan/step_units.h"

namespace dfrun::jobs {

// Ranks by names of nodes.
using BoundRanks = std::map<std::string, int, std::less<>>;

// The nodes of a model whose `device` leaves one rank of the cluster.
BoundRanks RanksThatNodesName(const Graph& model, const Cluster& cluster);

// The channel of a Send or Recv, where the node is of that kind.
std::optional<int64_t> ChannelOf(const Node& node, Boundary kind);

// Limits of the placements for which bounds hold.
struct StepBinding {
  BoundRanks ranks = {};       // for the copies that replicas have of a node too
  bool is_compressed = false;  // the wire may carry values in 16 bits
};

// Makes the units of a cluster with so many ranks on each host. Tasks are the nodes of all parts in their order;
// `seconds` has for each those of its work by type, in the order in which the cluster has the types.
// Lifetime: the parts must outlive the units, whose names are theirs.
// Thread safety: any thread.
StepUnits UnitsOfParts(const std::vector<PlannedPart>& parts, const Cluster& cluster, const CostTable& costs,
                       int ranks_per_node, std::span<const double> seconds, const StepBinding& binding);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_UNITS_OF_PARTS_H_
