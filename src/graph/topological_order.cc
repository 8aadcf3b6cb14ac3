#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

#include "src/graph/graph.h"

namespace dfrun {
namespace {

// Calls f with each node that must come before `reader`.
template <class F>
void ForEachBefore(const Graph& graph, const Node& reader, F&& f) {
  for (int i = 0; i < reader.num_inputs(); ++i) {
    if (reader.inputs[i].valid() && !graph.IsBackEdge(reader, i)) f(reader.inputs[i].node);
  }
  for (NodeId id : reader.control_inputs) f(id);
}

bool IsInOrder(const Graph& graph) {
  for (const Node& n : graph.nodes()) {
    bool in_order = true;
    ForEachBefore(graph, n, [&](NodeId before) { in_order = in_order && before < n.id; });
    if (!in_order) return false;
  }
  return true;
}

// Walks against the edges among nodes that still wait for an input: such a walk must close.
Status CycleError(const Graph& graph, const std::vector<int>& pending) {
  constexpr size_t kMaxShown = 10;
  std::vector<int> step(pending.size(), -1);
  std::vector<NodeId> walk;
  NodeId at =
      static_cast<NodeId>(std::find_if(pending.begin(), pending.end(), [](int p) { return p > 0; }) - pending.begin());
  while (step[at] < 0) {
    step[at] = static_cast<int>(walk.size());
    walk.push_back(at);
    NodeId next = -1;
    ForEachBefore(graph, graph.node(at), [&](NodeId before) {
      if (next < 0 && pending[before] > 0) next = before;
    });
    at = next;
  }
  std::vector<NodeId> cycle(walk.begin() + step[at], walk.end());
  std::reverse(cycle.begin(), cycle.end());
  std::string names;
  for (size_t i = 0; i < cycle.size() && i < kMaxShown; ++i) names += StrCat("'", graph.node(cycle[i]).name, "' -> ");
  if (cycle.size() > kMaxShown) names += StrCat("... (", cycle.size(), " nodes) -> ");
  return InvalidArgument(graph.Describe(cycle[0]), ": the graph has a cycle: ", names, "'", graph.node(cycle[0]).name,
                         "'");
}

}  // namespace

Result<std::vector<NodeId>> Graph::TopologicalOrder() const {
  std::vector<NodeId> order(nodes_.size());
  if (IsInOrder(*this)) {  // then the order with ties by id is that of the ids
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  order.clear();
  std::vector<int> pending(nodes_.size(), 0);
  for (const Node& n : nodes_) {
    ForEachBefore(*this, n, [&](NodeId) { ++pending[n.id]; });
  }
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  for (const Node& n : nodes_) {
    if (pending[n.id] == 0) ready.push(n.id);
  }
  const Consumers consumers = BuildConsumers();
  while (!ready.empty()) {
    const NodeId id = ready.top();
    ready.pop();
    order.push_back(id);
    for (const Consumers::Edge& edge : consumers.of(id)) {
      if (edge.input >= 0 && IsBackEdge(nodes_[edge.node], edge.input)) continue;
      if (--pending[edge.node] == 0) ready.push(edge.node);
    }
  }
  if (order.size() != nodes_.size()) return CycleError(*this, pending);
  return order;
}

}  // namespace dfrun
