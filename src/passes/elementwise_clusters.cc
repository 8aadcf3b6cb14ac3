#include "src/passes/elementwise_clusters.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "src/graph/order/node_order.h"

namespace dfrun {
namespace {

template <class Visit>
void ForEachSource(const Node& node, Visit visit) {
  for (Output input : node.inputs) visit(input.node);
  for (NodeId id : node.control_inputs) visit(id);
}

bool IsPlainFloat(const Graph& graph, Output value) {
  return value.valid() && graph.dtype(value) == DType::kFloat && !graph.is_ref(value);
}

bool MayJoin(const Graph& graph, const Node& node, const ClusterRules& rules) {
  const Elementwise& each = node.op->traits.elementwise;
  if (!each || node.inputs.size() > rules.most_operands || !IsPlainFloat(graph, {node.id, 0})) return false;
  const PartialShape& shape = node.output_shapes[0];
  if (!shape.IsFullyDefined() || shape.num_elements() < std::max<int64_t>(2, rules.least_elements)) return false;
  int scalars = 0;
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](Output input) {
    if (!IsPlainFloat(graph, input)) return false;
    return graph.shape(input) == shape ||
           (each.takes_scalar && graph.shape(input).num_elements() == 1 && ++scalars == 1);
  });
}

// Joins nodes of equal depth, in the graph's order.
class Joiner {
 public:
  Joiner(const Graph& graph, const ClusterRules& rules)
      : graph_(graph), joins_(static_cast<size_t>(graph.num_nodes())), depth_(joins_.size(), 0), root_(joins_.size()) {
    std::iota(root_.begin(), root_.end(), 0);
    for (const Node& node : graph.nodes()) joins_[Index(node)] = MayJoin(graph, node, rules);
    for (const Node& node : graph.nodes()) SetDepth(node);
    for (const Node& node : graph.nodes()) {
      ForEachSource(node, [&](NodeId source) {
        if (AreOne(graph_.node(source), node) && depth_[Index(node)] == depth_[static_cast<size_t>(source)]) {
          root_[static_cast<size_t>(Root(node.id))] = Root(source);
        }
      });
    }
  }

  // The members of each, by its first.
  std::map<NodeId, Cluster> Joined() {
    std::map<NodeId, Cluster> joined;
    for (const Node& node : graph_.nodes()) {
      if (joins_[Index(node)]) joined[Root(node.id)].push_back(node.id);
    }
    return joined;
  }

 private:
  static size_t Index(const Node& node) { return static_cast<size_t>(node.id); }

  void SetDepth(const Node& node) {
    int& depth = depth_[Index(node)];
    if (EntersPartition(node)) depth = after_sends_;
    ForEachSource(node, [&](NodeId source) {
      depth = std::max(depth, depth_[static_cast<size_t>(source)] + (IsBetween(graph_.node(source), node) ? 1 : 0));
    });
    if (LeavesPartition(node)) after_sends_ = std::max(after_sends_, depth + 1);
  }

  // Whether the reader must wait until the source has run by itself.
  bool IsBetween(const Node& source, const Node& reader) const {
    if (joins_[Index(source)]) return joins_[Index(reader)] && !AreOne(source, reader);
    return IsRecv(source) || !source.inputs.empty() || !source.control_inputs.empty();
  }

  bool AreOne(const Node& a, const Node& b) const {
    return joins_[Index(a)] && joins_[Index(b)] && a.output_shapes[0] == b.output_shapes[0];
  }

  NodeId Root(NodeId id) {
    while (root_[static_cast<size_t>(id)] != id) {
      root_[static_cast<size_t>(id)] = root_[static_cast<size_t>(root_[static_cast<size_t>(id)])];
      id = root_[static_cast<size_t>(id)];
    }
    return id;
  }

  const Graph& graph_;
  std::vector<bool> joins_;  // by node, as the next
  std::vector<int> depth_;
  std::vector<NodeId> root_;
  int after_sends_ = 0;  // the depth of a node that waits for all Sends so far
};

}  // namespace

ElementwiseClusters::ElementwiseClusters(const Graph& graph, const ClusterRules& rules)
    : of_node_(static_cast<size_t>(graph.num_nodes()), -1) {
  const auto add = [&](Cluster& members) {
    if (members.size() > 1) clusters_.push_back(members);
    members.clear();
  };
  for (const auto& [root, all] : Joiner(graph, rules).Joined()) {
    Cluster members;
    size_t operands = 0;
    for (NodeId id : all) {
      const size_t more = graph.node(id).inputs.size();
      if (members.size() == rules.most_members || operands + more > rules.most_operands) {
        add(members);
        operands = 0;
      }
      members.push_back(id);
      operands += more;
    }
    add(members);
  }
  for (size_t i = 0; i < clusters_.size(); ++i) {
    for (NodeId id : clusters_[i]) of_node_[static_cast<size_t>(id)] = static_cast<int32_t>(i);
  }
}

}  // namespace dfrun
