// A graph under construction that knows which of its nodes run after which.
#ifndef DFRUN_TESTS_MPI_UPDATES_ORDERED_GRAPH_H_
#define DFRUN_TESTS_MPI_UPDATES_ORDERED_GRAPH_H_

#include <bitset>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun::testing {

// Builds the graph. The first node that cannot be added is an error that stays.
// Thread safety: one thread.
class OrderedGraph {
 public:
  OrderedGraph(Graph graph, uint64_t seed) : graph_(std::move(graph)), random_(seed) {}

  Output Add(const std::string& op, std::vector<Output> inputs, AttrMap attrs = {}, std::vector<NodeId> controls = {});
  // Adds a node that also runs after `before`. At random it has control edges, or an Identity with such edges stands
  // before an input that is a value.
  Output AddAfter(const std::vector<NodeId>& before, const std::string& op, std::vector<Output> inputs,
                  AttrMap attrs = {}, std::vector<NodeId> controls = {});
  // Closes a loop. Nodes after the Merge do not count as nodes after the source.
  void SetInput(NodeId merge, int input, Output value);
  Output Const(const Tensor& value);

  bool IsAfter(NodeId node, NodeId before) const {
    return before_[static_cast<size_t>(node)][static_cast<size_t>(before)];
  }
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  bool Maybe(int percent) { return Below(100) < percent; }

  const Status& status() const { return status_; }
  Graph& graph() { return graph_; }

 private:
  static constexpr size_t kMaxNodes = 2048;
  using Nodes = std::bitset<kMaxNodes>;

  Output AddNode(NodeSpec spec);
  void NoteOrder(const Node& node);

  Graph graph_;
  std::mt19937_64 random_;
  std::vector<Nodes> before_;  // by node: the nodes that surely run before it
  Status status_;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_MPI_UPDATES_ORDERED_GRAPH_H_
