// Handles of variables, arrays, tables and lists, and the nodes that made them.
#ifndef DFRUN_SRC_GRAPH_HANDLE_MAKER_H_
#define DFRUN_SRC_GRAPH_HANDLE_MAKER_H_

#include "src/graph/graph.h"

namespace dfrun {

// The output that made `handle`, through ops that hand it on or change the list or array behind it; that of a Merge
// where it may be one of several.
Output HandleMaker(const Graph& graph, Output handle);

// InvalidArgument where the attrs of `node`, whose inputs are in `graph`, name another dtype than the variable or the
// list behind its first input has.
Status CheckHandleDType(const Graph& graph, const Node& node);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_HANDLE_MAKER_H_
