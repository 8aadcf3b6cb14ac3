// The conditions under which the nodes of a graph run.
#ifndef DFRUN_SRC_TRAINING_ORDER_GUARDS_H_
#define DFRUN_SRC_TRAINING_ORDER_GUARDS_H_

#include <tuple>
#include <vector>

#include "src/graph/control_flow.h"

namespace dfrun {

// The sides of conditionals that each node outside of loops is in. A Merge of both sides of a conditional is in
// whatever the conditional is in; the end of a loop is in whatever its begin is in; a Merge of anything else is under a
// condition of its own.
// Thread safety: const methods from any thread.
class Guards {
 public:
  // `order`: the graph's topological one.
  Guards(const Graph& graph, const std::vector<NodeId>& order, const FrameTree& frames);
  // Whether `node` runs in every step in which `other` does, neither being in a loop.
  bool RunsWherever(NodeId node, NodeId other) const;

 private:
  using Side = std::tuple<NodeId, int32_t, int32_t>;  // a predicate and its value; -1 and a node: an unknown condition
  using Sides = std::vector<Side>;                    // sorted

  Sides Of(const Graph& graph, const Node& node, const FrameTree& frames) const;
  Sides OfInput(const Graph& graph, Output input) const;
  Sides OfSources(const Graph& graph, const Node& node) const;
  Sides OfMerge(const Graph& graph, const Node& node) const;

  std::vector<Sides> sides_;  // by node
};

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_ORDER_GUARDS_H_
