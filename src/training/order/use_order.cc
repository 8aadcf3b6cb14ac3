#include "src/training/order/use_order.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "src/base/sort_unique.h"

namespace dfrun {
namespace {

using Bits = uint64_t;
constexpr size_t kBits = 64;

bool IsIn(const std::vector<NodeId>& sorted, NodeId id) {
  return std::binary_search(sorted.begin(), sorted.end(), id);
}

// Control edges, from and to.
using Edges = std::set<std::pair<NodeId, NodeId>>;

// The order among some nodes of a graph by paths of edges. The back edges of loops count: a value that leaves a loop
// comes after all that its iterations have done.
class OrderAmong {
 public:
  // `order` is the graph's topological one, `nodes` are sorted. Edges of `but` do not count.
  OrderAmong(const Graph& graph, const std::vector<NodeId>& order, std::vector<NodeId> nodes, const Edges& but)
      : nodes_(std::move(nodes)), words_((nodes_.size() + kBits - 1) / kBits) {
    const std::vector<Bits> after = Spread(graph, order, but);
    for (const NodeId id : nodes_) {
      const Bits* row = &after[static_cast<size_t>(id) * words_];
      after_.insert(after_.end(), row, row + words_);
    }
  }

  bool AreOrdered(NodeId a, NodeId b) const { return ComesAfter(a, b) || ComesAfter(b, a); }
  // A node counts as after itself.
  bool ComesAfter(NodeId a, NodeId b) const { return IsAfter(IndexOf(a), IndexOf(b)); }

  // Counts a new edge between two of the nodes.
  void AddEdge(NodeId source, NodeId sink) {
    const size_t from = IndexOf(source);
    const size_t to = IndexOf(sink);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (IsAfter(i, to)) Or(&after_[from * words_], &after_[i * words_]);
    }
  }

 private:
  size_t IndexOf(NodeId id) const {
    return static_cast<size_t>(std::lower_bound(nodes_.begin(), nodes_.end(), id) - nodes_.begin());
  }
  bool IsAfter(size_t i, size_t j) const { return (after_[i * words_ + j / kBits] >> j % kBits & 1) != 0; }

  // Whether `to` has changed.
  bool Or(const Bits* from, Bits* to) const {
    Bits changed = 0;
    for (size_t word = 0; word < words_; ++word) {
      changed |= from[word] & ~to[word];
      to[word] |= from[word];
    }
    return changed != 0;
  }

  // Returns for each node of the graph the set of nodes_ that it comes after.
  std::vector<Bits> Spread(const Graph& graph, const std::vector<NodeId>& order, const Edges& but) const {
    std::vector<Bits> after(static_cast<size_t>(graph.num_nodes()) * words_, 0);
    const auto row = [&](NodeId id) { return &after[static_cast<size_t>(id) * words_]; };
    for (size_t i = 0; i < nodes_.size(); ++i) row(nodes_[i])[i / kBits] |= Bits{1} << i % kBits;
    for (bool changes = true; changes;) {
      changes = false;
      for (const NodeId id : order) {
        const Node& node = graph.node(id);
        bool changed = false;
        for (const Output input : node.inputs) changed = (input.valid() && Or(row(input.node), row(id))) || changed;
        for (const NodeId control : node.control_inputs)
          changed = (!but.contains({control, id}) && Or(row(control), row(id))) || changed;
        // Only the value of a NextIteration reaches nodes that have been visited already.
        changes = changes || (changed && node.op->traits.control_flow == ControlFlowKind::kNextIteration);
      }
    }
    return after;
  }

  const std::vector<NodeId> nodes_;
  const size_t words_;       // words in a row
  std::vector<Bits> after_;  // a row for each of nodes_
};

// One call of OrderUses().
class UseOrder {
 public:
  UseOrder(FunctionRef<bool(NodeId node, NodeId other)> may_wait, Graph& graph) : may_wait_(may_wait), graph_(graph) {}

  // Orders the uses of variables, of which `nodes` are all, sorted.
  Status Order(std::span<const VariableUses> variables, const std::vector<NodeId>& nodes) {
    DF_ASSIGN(const std::vector<NodeId> order, graph_.TopologicalOrder());
    const OrderAmong given(graph_, order, nodes, added_);
    OrderAmong all = added_.empty() ? given : OrderAmong(graph_, order, nodes, {});
    for (const VariableUses& variable : variables) {
      OrderAmong own = given;
      OrderUsesOf(variable, own, all);
    }
    return Status();
  }
  std::vector<NodeId> TakeWaiting() { return std::move(waiting_); }

 private:
  // `own`: by what is given, and the edges for this variable; `all`: by those for others too.
  void OrderUsesOf(const VariableUses& variable, OrderAmong& own, OrderAmong& all) {
    for (const NodeId user : variable.users) {
      for (const NodeId update : variable.updates) {
        const bool is_later_pair = user > update && IsIn(variable.updates, user) && IsIn(variable.users, update);
        if (user == update || is_later_pair || own.AreOrdered(user, update)) continue;
        const bool is_turned = all.ComesAfter(user, update);
        const auto [first, second] = is_turned ? std::pair(update, user) : std::pair(user, update);
        if (!may_wait_(second, first)) continue;
        graph_.AddControlEdge(first, second);
        added_.emplace(first, second);
        own.AddEdge(first, second);
        all.AddEdge(first, second);
        if (!is_turned) waiting_.push_back(update);
      }
    }
  }

  const FunctionRef<bool(NodeId node, NodeId other)> may_wait_;
  Graph& graph_;
  Edges added_;
  std::vector<NodeId> waiting_;
};

}  // namespace

Result<std::vector<NodeId>> OrderUses(std::span<const VariableUses> variables,
                                      FunctionRef<bool(NodeId node, NodeId other)> may_wait, Graph& graph) {
  UseOrder order(may_wait, graph);
  for (size_t begin = 0, end = 0; begin < variables.size(); begin = end) {
    std::vector<NodeId> nodes;
    for (; end < variables.size() && nodes.size() < kBits; ++end) {
      const auto& [users, updates] = variables[end];
      if (updates.empty() || users.empty()) continue;
      nodes.insert(nodes.end(), users.begin(), users.end());
      nodes.insert(nodes.end(), updates.begin(), updates.end());
    }
    if (nodes.empty()) continue;
    SortUnique(nodes);
    DF_TRY(order.Order(variables.subspan(begin, end - begin), nodes));
  }
  return order.TakeWaiting();
}

}  // namespace dfrun
