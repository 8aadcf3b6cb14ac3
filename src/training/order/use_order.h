// The order of the nodes that use a variable, where the graph leaves it open.
#ifndef DFRUN_SRC_TRAINING_ORDER_USE_ORDER_H_
#define DFRUN_SRC_TRAINING_ORDER_USE_ORDER_H_

#include <span>
#include <vector>

#include "src/base/threads.h"
#include "src/graph/graph.h"

namespace dfrun {

// The nodes that read or update one variable, and the updates among them. Both are sorted.
struct VariableUses {
  std::vector<NodeId> users;
  std::vector<NodeId> updates;
};

// Adds a control edge from each user of a variable to each of its updates that is in no order with it and that may wait
// for it; of two updates the first in the graph comes first. Where the edges of other variables have them the other way
// round, the user waits for the update: such an edge orders a reader elsewhere by what it reads of that other variable
// alone (src/partition/remote_reads.h), and so the two have one of their own. Returns the updates that wait for a user.
// Linear in the graph for each 64 users. Error: the graph has a cycle.
Result<std::vector<NodeId>> OrderUses(std::span<const VariableUses> variables,
                                      FunctionRef<bool(NodeId node, NodeId other)> may_wait, Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_ORDER_USE_ORDER_H_
