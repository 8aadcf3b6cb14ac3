// A walk over a graph against its edges: from some nodes to all that they need.
//
//   Upstream walk(graph);
//   walk.Add(target);
//   while (const Node* node = walk.Next()) walk.AddSources(*node);   // or Add() those of its sources that count
#ifndef DFRUN_SRC_GRAPH_UPSTREAM_H_
#define DFRUN_SRC_GRAPH_UPSTREAM_H_

#include <utility>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// Each node that is added comes out of Next() once, the one added last first. The graph outlives the walk and does not
// change meanwhile. Thread safety: one thread.
class Upstream {
 public:
  explicit Upstream(const Graph& graph) : graph_(graph), added_(static_cast<size_t>(graph.num_nodes()), false) {}

  // No node (-1, the edge of a loop that is still open) and a node that was added before change nothing.
  void Add(NodeId id) {
    if (id < 0 || added_[id]) return;
    added_[id] = true;
    todo_.push_back(id);
  }
  // The nodes that its data and control edges come from.
  void AddSources(const Node& node) {
    for (Output input : node.inputs) Add(input.node);
    for (NodeId control : node.control_inputs) Add(control);
  }
  // Null when every node that was added has come out.
  const Node* Next() {
    if (todo_.empty()) return nullptr;
    const NodeId id = todo_.back();
    todo_.pop_back();
    return &graph_.node(id);
  }

  // By node: whether it was added.
  const std::vector<bool>& added() const& { return added_; }
  std::vector<bool> added() && { return std::move(added_); }

 private:
  const Graph& graph_;
  std::vector<bool> added_;
  std::vector<NodeId> todo_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_UPSTREAM_H_
