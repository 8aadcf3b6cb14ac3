// Prints a graph as text, for people and for tests.
#ifndef DFRUN_SRC_GRAPH_GRAPH_DEF_TEXT_DUMP_H_
#define DFRUN_SRC_GRAPH_GRAPH_DEF_TEXT_DUMP_H_

#include <string>

#include "src/graph/graph.h"

namespace dfrun {

// A line a node, in topological order (ties by id; by id alone where there is a cycle):
//   h = MatMul(x, W:0, ^init) {T=float32, transpose_a=false, ...} -> float32[?,10] device=/job:ps colocate=W
// Equal graphs give equal text: a tensor that is cut off carries a hash of its bytes. Positions in a spec are left out.
std::string DumpText(const Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_DEF_TEXT_DUMP_H_
