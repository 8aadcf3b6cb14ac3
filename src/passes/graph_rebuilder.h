// Builds a new graph from the nodes of another, for passes that drop, replace or merge nodes.
//
// Nodes are taken in topological order: the sources of a node have been kept or replaced before it (the back edges of
// loops aside).
// Thread safety: one thread.
#ifndef DFRUN_SRC_PASSES_GRAPH_REBUILDER_H_
#define DFRUN_SRC_PASSES_GRAPH_REBUILDER_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// The spec of a node that is placed as `node` is: its device, and the nodes that it is colocated with.
NodeSpec PlacedAs(const Node& node);

// One rebuilding of a graph.
// Lifetime: the old graph must outlive it.
class GraphRebuilder {
 public:
  // `from` outlives this.
  explicit GraphRebuilder(const Graph& from);
  // Keep() takes nodes out of `from`, which then has of them no more than their names.
  static GraphRebuilder Taking(Graph& from);

  // The graph so far; nodes may be added to it.
  Graph& to() { return to_; }
  // Copies or takes a node, its edges renamed.
  NodeId Keep(NodeId old);
  // Nodes kept from now on read `made` (of the new graph) where they read `old`.
  void Replace(Output old, Output made);
  // Nodes kept from now on have `made` as control input where they have `old`; -1: none.
  void ReplaceControl(NodeId old, NodeId made) { control_[old] = made; }
  // A node of the same value has been kept: `old` gives way to it everywhere.
  void MergeInto(NodeId old, NodeId made);
  // Adds a NoOp that replaces the removed node as a control input: it waits for that node's sources.
  Result<NodeId> AddAwaited(NodeId old);
  // The new output of a node that is kept or replaced.
  Output NewOutput(Output old) const;
  // The new source of control edges from `old`; -1: none.
  NodeId NewControl(NodeId old) const { return control_[old]; }
  // Appends the new source of each of `old` that has one.
  void AddControls(const std::vector<NodeId>& old, std::vector<NodeId>& to) const;
  // The new node that `old` became or was merged into; -1: none.
  NodeId NewNode(NodeId old) const { return nodes_[old]; }

  // The new graph. Nodes that were colocated, directly or by way of removed nodes, still are; the device constraint
  // of a removed node is theirs too. InvalidArgument where such constraints contradict each other.
  Result<Graph> Finish();

 private:
  struct BackEdge {
    NodeId reader;
    int input;
    Output old;
  };
  static constexpr NodeId kNone = -1;

  Status RepairColocation();

  const Graph& from_;
  Graph* taken_from_ = nullptr;
  Graph to_;
  std::vector<NodeId> nodes_;      // by old id: the new one, kNone where it is removed
  std::vector<NodeId> control_;    // by old id, for control edges
  std::vector<bool> is_replaced_;  // some output of the old node is in replaced_
  std::unordered_map<int64_t, Output> replaced_;
  std::vector<BackEdge> back_edges_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_GRAPH_REBUILDER_H_
