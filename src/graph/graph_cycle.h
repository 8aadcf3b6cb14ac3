#ifndef DFRUN_SRC_GRAPH_GRAPH_CYCLE_H_
#define DFRUN_SRC_GRAPH_GRAPH_CYCLE_H_

#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// The nodes of a cycle of data and control edges, each before the next, the back edges of loops aside. Empty where
// there is none.
// Thread safety: reads the graph only.
std::vector<NodeId> FindCycle(const Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_CYCLE_H_
