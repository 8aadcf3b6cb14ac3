// Reads of a resource variable, of which TensorFlow's graphs have one for each use, as one: what looks for nodes with
// the same operand then finds them.
#ifndef DFRUN_SRC_PASSES_MERGE_READS_H_
#define DFRUN_SRC_PASSES_MERGE_READS_H_

#include "src/base/status.h"
#include "src/graph/graph.h"

namespace dfrun {

// ReadVariableOps of one handle and device that wait for nothing become one, where all that may change the variable
// runs after each of them. Graphs with control flow are left alone.
Status MergeReads(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_MERGE_READS_H_
