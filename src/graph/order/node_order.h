// The order of some nodes of a graph against all others: which run before or after them, whatever the number of
// threads.
#ifndef DFRUN_SRC_GRAPH_ORDER_NODE_ORDER_H_
#define DFRUN_SRC_GRAPH_ORDER_NODE_ORDER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// The order of up to kMax nodes at a time, found by two passes over the graph for all of them. The back edges of loops
// order nothing.
class NodeOrder {
 public:
  static constexpr size_t kMax = 64;
  // The kinds of paths that count, in a partition: a Recv's value may depend on the value of a Send that comes before
  // it in the order of the nodes. kCertain leaves such paths out and tells which nodes surely run in order. kPossible
  // counts them: two nodes without a path between them can be merged into one.
  enum class Ways { kCertain, kPossible };
  // `order` is the graph's topological one.
  NodeOrder(const Graph& graph, std::span<const NodeId> order, std::span<const NodeId> nodes,
            Ways ways = Ways::kCertain);
  // Whether a path of edges leads from one of `other` and `nodes[i]` to the other; true where they are the same.
  // With Ways::kCertain.
  bool IsOrdered(NodeId other, size_t i) const { return ((before_[other] | after_[other]) >> i & 1) != 0; }
  // Bit i: `other` runs after nodes[i], or is it.
  uint64_t After(NodeId other) const { return after_[other]; }

 private:
  std::vector<uint64_t> before_;  // by node: bit i says that nodes[i] runs after it
  std::vector<uint64_t> after_;
};

bool IsSend(const Node& node);
bool IsRecv(const Node& node);
// Whether the node's input leaves its partition: true for a Send, and for the participant of a collective. Whether its
// output comes from another partition: true for a Recv, and for the participant of a collective.
bool LeavesPartition(const Node& node);
bool EntersPartition(const Node& node);

// Returns the topological order of a partition in which each node that EntersPartition() also comes after every one
// that LeavesPartition() and stands before it. A rewritten graph must keep this order, since the value of a Recv may
// depend on that of such a Send.
Result<std::vector<NodeId>> PartitionOrder(const Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_ORDER_NODE_ORDER_H_
