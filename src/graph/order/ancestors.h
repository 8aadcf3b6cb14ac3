// Walks over a graph against its edges, from some nodes to all that they need.
//
//   AncestorWalk walk(graph);
//   walk.Add(target);
//   while (const Node* node = walk.Next()) walk.AddSources(*node);   // or Add() those of its sources that count
#ifndef DFRUN_SRC_GRAPH_ORDER_ANCESTORS_H_
#define DFRUN_SRC_GRAPH_ORDER_ANCESTORS_H_

#include <utility>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// Next() returns each added node once, the last added first. The graph outlives the walk and does not change meanwhile.
// Thread safety: one thread.
class AncestorWalk {
 public:
  explicit AncestorWalk(const Graph& graph) : graph_(graph), added_(static_cast<size_t>(graph.num_nodes()), false) {}

  // Does nothing for -1 (the open edge of a loop) and for a node that was added before.
  void Add(NodeId id) {
    if (id < 0 || added_[id]) return;
    added_[id] = true;
    todo_.push_back(id);
  }
  // Adds the sources of the node's data and control edges.
  void AddSources(const Node& node) {
    for (Output input : node.inputs) Add(input.node);
    for (NodeId control : node.control_inputs) Add(control);
  }
  // Returns null when all added nodes have been returned.
  const Node* Next() {
    if (todo_.empty()) return nullptr;
    const NodeId id = todo_.back();
    todo_.pop_back();
    return &graph_.node(id);
  }

  // Tells for each node whether it was added.
  const std::vector<bool>& added() const& { return added_; }
  std::vector<bool> added() && { return std::move(added_); }

 private:
  const Graph& graph_;
  std::vector<bool> added_;
  std::vector<NodeId> todo_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_ORDER_ANCESTORS_H_
