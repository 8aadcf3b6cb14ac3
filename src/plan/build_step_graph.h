// The step of a placed graph as a simulation sees it, and the groups of its nodes that a placement may move.
#ifndef DFRUN_SRC_PLAN_BUILD_STEP_GRAPH_H_
#define DFRUN_SRC_PLAN_BUILD_STEP_GRAPH_H_

#include <set>
#include <string>

#include "src/costs/cost_table.h"
#include "src/framework/device/memory_limit.h"
#include "src/graph/graph.h"
#include "src/placement/cluster.h"
#include "src/plan/placed_graph.h"

namespace dfrun {

struct StepGraphOptions {
  const CostTable* costs = nullptr;
  int ranks_per_node = 0;  // 0: all ranks are on one
  MemoryLimits limits = {};
  bool keeps_types = false;  // groups stay on the type of device that they are on
};

// Makes tasks of a graph whose nodes have devices of the cluster, of which those called `open` may be moved: with all
// that must share the device, with what passes their value on, and, of variables, with what else is on their device on
// their behalf.
// InvalidArgument: a node without a device of the cluster. Takes time linear in the graph.
// Thread safety: any thread.
Result<PlacedGraph> BuildStepGraph(const Graph& placed, const std::set<std::string, std::less<>>& open,
                                   const Cluster& cluster, const StepGraphOptions& options);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_BUILD_STEP_GRAPH_H_
