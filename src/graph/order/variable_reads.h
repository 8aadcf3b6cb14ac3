// Rewrites the reads of variables that are refs, in graphs from TensorFlow.
#ifndef DFRUN_SRC_GRAPH_ORDER_VARIABLE_READS_H_
#define DFRUN_SRC_GRAPH_ORDER_VARIABLE_READS_H_

#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// Makes the readers of Identities of refs read the variable itself. In TensorFlow an Identity of a ref shares the
// variable's bytes, so that its reader sees the updates that were made since: ExponentialMovingAverage counts on that.
// Here an Identity has the variable's value at the time when it ran. So the readers of such Identities, and of
// Identities of them, are made to read the variable, in the order that the graph gives, on whatever device they are. In
// a loop or branch that has the variable itself too (by a RefEnter, a RefSwitch), this includes the readers of values
// that come into it from such an Identity. Left alone: other primitives of control flow, and outputs in `fed`, whose
// values a run gives.
Status ReadVariablesAtUse(Graph& graph, const std::vector<Output>& fed);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_ORDER_VARIABLE_READS_H_
