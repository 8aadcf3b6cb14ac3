// Rewrites the reads of variables that are refs, in graphs from TensorFlow.
#ifndef DFRUN_SRC_GRAPH_VARIABLE_READS_H_
#define DFRUN_SRC_GRAPH_VARIABLE_READS_H_

#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// In TensorFlow an Identity of a ref shares the variable's bytes, so that who reads it sees the updates that were made
// since: ExponentialMovingAverage counts on that. Here an Identity is what the variable was when it ran. Makes the
// readers of such Identities, and of Identities of them, read the variable itself, in the order that the graph gives,
// on whatever device they are. In a loop or branch that has the variable itself too (by a RefEnter, a RefSwitch), so do
// the readers of what comes into it from such an Identity. Left alone: other primitives of control flow, and outputs in
// `fed`, whose values a run gives.
Status ReadVariablesAtUse(Graph& graph, const std::vector<Output>& fed);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_VARIABLE_READS_H_
