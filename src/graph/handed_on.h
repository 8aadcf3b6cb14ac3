// Where a value comes from that ops hand on without a change.
#ifndef DFRUN_SRC_GRAPH_HANDED_ON_H_
#define DFRUN_SRC_GRAPH_HANDED_ON_H_

#include "src/graph/graph.h"

namespace dfrun {

// The value that `value` is where its node only hands on an input (Identity, Enter, Switch, ...); invalid where it
// makes a value of its own, or where it is a Merge that gives one of several. The Merge of a loop hands on its first
// input.
Output HandedOnBy(const Graph& graph, Output value);

// The same until a node makes the value: that output. Invalid where there is no such one.
Output HandedOnFrom(const Graph& graph, Output value);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_HANDED_ON_H_
