// Finds the nodes that made the handles of variables, arrays, tables and lists.
#ifndef DFRUN_SRC_GRAPH_HANDLE_MAKER_H_
#define DFRUN_SRC_GRAPH_HANDLE_MAKER_H_

#include "src/graph/graph.h"

namespace dfrun {

// Returns the output that made `handle`, looking through ops that pass it on or change its list or array; the output of
// a Merge if there may be several makers.
Output HandleMaker(const Graph& graph, Output handle);

// Returns InvalidArgument if the attrs of `node`, whose inputs are in `graph`, name another dtype than that of the
// variable or list whose handle is its first input.
Status CheckHandleDType(const Graph& graph, const Node& node);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_HANDLE_MAKER_H_
