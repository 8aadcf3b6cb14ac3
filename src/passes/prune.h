// The part of a graph that one kind of Run needs.
// Source: TensorFlow white paper (2015) section 4.2, "Partial Execution".
#ifndef DFRUN_SRC_PASSES_PRUNE_H_
#define DFRUN_SRC_PASSES_PRUNE_H_

#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

struct RunSignature {
  std::vector<Output> feeds;              // any output of any node
  std::vector<PartialShape> feed_shapes;  // shapes of the values to feed, as far as known; empty: nothing is known
  std::vector<Output> fetches;
  std::vector<NodeId> targets;  // run for their effect
};

// Returns a new graph of the nodes that fetches and targets depend on, where feed i is output 0 of an `_Arg` node with
// index i and fetch i goes into a `_Retval` node with index i. Every feed gets its _Arg, used or not. Output shapes are
// inferred again from the feeds' shapes. Nodes keep their names; the new ones are called `_arg_<node>_<port>` and
// `_retval_<node>_<port>` (made unique).
// A control edge from a Placeholder that is fed becomes one from its _Arg; other fed nodes still run if a control edge,
// a target or another of their outputs needs them. Edges from nodes that are read apart (src/graph/order/read_apart.h)
// lead to the nodes' sources. InvalidArgument: a feed given twice, a feed's shape that contradicts its node's, a ref
// input fed by a plain value, no such output, a node that is needed and could not be read when the graph was imported.
Result<Graph> PruneForRun(const Graph& graph, const RunSignature& signature);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_PRUNE_H_
