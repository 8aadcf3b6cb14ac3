// Which nodes of a graph run before or after some others, whatever the number of threads.
#ifndef DFRUN_SRC_GRAPH_NODE_ORDER_H_
#define DFRUN_SRC_GRAPH_NODE_ORDER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// Of up to kMost nodes at a time: two passes over the graph for all of them. The back edges of loops order nothing.
class NodeOrder {
 public:
  static constexpr size_t kMost = 64;
  // Of a partition, what a Recv gives may have been made of what a Send before it, in the order of the nodes, sent.
  // kCertain leaves that out: it says what surely runs in order. kPossible counts it: two nodes without a way between
  // them can become one.
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
// Whether what the node is given leaves its partition: a Send, and the participant of a collective; whether what it
// gives has come from others: a Recv, and the participant of a collective.
bool LeavesPartition(const Node& node);
bool EntersPartition(const Node& node);

// The topological order of a partition in which each node that EntersPartition() also comes after every one that
// LeavesPartition() and stands before it: the rewritten graph is to keep that, since what a Recv gives may have been
// made of what such a Send sent.
Result<std::vector<NodeId>> PartitionOrder(const Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_NODE_ORDER_H_
