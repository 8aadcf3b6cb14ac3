// Which values may be dead: those behind a Switch or a loop.
#ifndef DFRUN_SRC_PARTITION_DEADNESS_H_
#define DFRUN_SRC_PARTITION_DEADNESS_H_

#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// By node: false where all its outputs are alive in every step. `order` is the graph's topological order. A value that
// leaves a loop may be dead too, and so may that of a Merge, unless none of what it reads may.
std::vector<bool> FindDeadness(const Graph& graph, const std::vector<NodeId>& order);

}  // namespace dfrun

#endif  // DFRUN_SRC_PARTITION_DEADNESS_H_
