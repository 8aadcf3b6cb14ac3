// Finds the values that may be dead: those that depend on a Switch or leave a loop.
#ifndef DFRUN_SRC_PARTITION_DEADNESS_H_
#define DFRUN_SRC_PARTITION_DEADNESS_H_

#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// Returns, by node, false where all outputs are alive in every step. `order` is the graph's topological order. A value
// that leaves a loop may be dead, and so may the output of a Merge unless all of its inputs are always alive.
std::vector<bool> FindDeadness(const Graph& graph, const std::vector<NodeId>& order);

}  // namespace dfrun

#endif  // DFRUN_SRC_PARTITION_DEADNESS_H_
