// Liberties that a graph's kernels may take to be faster, as attrs of its nodes (src/framework/op/arithmetic.h).
#ifndef DFRUN_SRC_GRAPH_NODE_ARITHMETIC_H_
#define DFRUN_SRC_GRAPH_NODE_ARITHMETIC_H_

#include "src/framework/op/arithmetic.h"
#include "src/graph/graph.h"

namespace dfrun {

// Sets it on every node that gives floating-point numbers. Nothing changes where it is the default.
void SetArithmetic(const Arithmetic& arithmetic, Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_NODE_ARITHMETIC_H_
