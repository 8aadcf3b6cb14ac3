// Follows a value back through ops that pass their input on unchanged.
#ifndef DFRUN_SRC_GRAPH_PASSTHROUGH_H_
#define DFRUN_SRC_GRAPH_PASSTHROUGH_H_

#include "src/graph/graph.h"

namespace dfrun {

// Returns the input that the node of `value` passes on unchanged (Identity, Enter, Switch, ...). Invalid if the node
// computes its value, or is the Merge of a conditional, which passes on one of several inputs. The Merge of a loop
// counts as passing on its first input.
Output PassthroughInput(const Graph& graph, Output value);

// Repeats this until a node computes the value, and returns that output. Invalid if there is none.
Output PassthroughSource(const Graph& graph, Output value);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_PASSTHROUGH_H_
