// Merges nodes that compute the same from the same.
// Source: TensorFlow white paper (2015) section 5.1.
#ifndef DFRUN_SRC_PASSES_COMMON_SUBEXPRESSIONS_H_
#define DFRUN_SRC_PASSES_COMMON_SUBEXPRESSIONS_H_

#include "src/graph/graph.h"

namespace dfrun {

// Two nodes are the same if they have the same op, attrs, inputs, control inputs, device constraint and colocation; the
// two inputs of a commutative op in either order. The first in topological order stays. Stateful nodes,
// placeholders, nodes with refs and nodes without outputs are never merged.
Status MergeCommonSubexpressions(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_COMMON_SUBEXPRESSIONS_H_
