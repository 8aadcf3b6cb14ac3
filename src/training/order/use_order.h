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

// Adds a control edge from each user of a variable to each of its updates that is in no order with it and for which
// may_wait() holds; of two updates the first in the graph comes first. Returns the updates that got an edge. Linear in
// the graph for each 64 users. Error: the graph has a cycle.
Result<std::vector<NodeId>> OrderUses(std::span<const VariableUses> variables,
                                      FunctionRef<bool(NodeId update, NodeId user)> may_wait, Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_ORDER_USE_ORDER_H_
