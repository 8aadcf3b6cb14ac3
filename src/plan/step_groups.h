// Groups of a step's tasks that move together.
#ifndef DFRUN_SRC_PLAN_STEP_GROUPS_H_
#define DFRUN_SRC_PLAN_STEP_GROUPS_H_

#include <set>
#include <string>

#include "src/graph/graph.h"
#include "src/placement/cluster.h"
#include "src/plan/placed_graph.h"

namespace dfrun {

// Sets `groups` and `group_of` of a step whose tasks are there; see BuildStepGraph().
Status FindStepGroups(const Graph& placed, const std::set<std::string, std::less<>>& open, const Cluster& cluster,
                      bool keeps_types, PlacedGraph& step);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_STEP_GROUPS_H_
