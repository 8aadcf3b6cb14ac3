// Finds the node that decides the device of a colocated one.
#ifndef DFRUN_SRC_GRAPH_COLOCATION_HEAD_H_
#define DFRUN_SRC_GRAPH_COLOCATION_HEAD_H_

#include "src/graph/graph.h"

namespace dfrun {

// The end of the chain of nodes that each ask to be where the next one is; the node itself where it asks for nothing.
const Node& HeadOfColocation(const Graph& graph, const Node& node);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_COLOCATION_HEAD_H_
