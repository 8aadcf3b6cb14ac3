// Merges nodes that compute the same from the same: of the same op, attrs, inputs, control inputs, device constraint
// and colocation; the two inputs of a commutative op in either order. The first in topological order stays. Stateful
// nodes, placeholders, nodes with refs and nodes without outputs are never merged. Source: TensorFlow white paper
// (2015) section 5.1.
#include <algorithm>
#include <functional>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "src/base/sort_unique.h"
#include "src/graph/order/has_refs.h"
#include "src/passes/graph_rebuilder.h"
#include "src/passes/pass.h"

namespace dfrun {
namespace {

bool MayMerge(const Node& node) {
  const auto is_open = [](Output input) { return !input.valid(); };
  const bool stands_for_feed = node.op->name.compare(0, 11, "Placeholder") == 0;
  return node.num_outputs() > 0 && !node.op->is_stateful && !stands_for_feed && !HasRefs(node) &&
         std::none_of(node.inputs.begin(), node.inputs.end(), is_open);
}

// Whether the order of the inputs does not matter: for two inputs only, since the order of a longer sum decides its
// rounding.
bool IsCommutative(const Node& node) {
  return node.op->is_commutative && node.num_inputs() == 2;
}

std::pair<Output, Output> Ordered(const Node& node) {
  const Output a = node.inputs[0];
  const Output b = node.inputs[1];
  return std::pair(b.node, b.port) < std::pair(a.node, a.port) ? std::pair(b, a) : std::pair(a, b);
}

void Mix(size_t& hash, size_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL + (hash >> 29);
}

void MixInput(size_t& hash, Output value) {
  Mix(hash, (static_cast<size_t>(static_cast<uint32_t>(value.node)) << 20) + static_cast<size_t>(value.port));
}

// The first bytes are enough to keep different constants apart in most cases; equality compares all.
size_t HashTensor(const Tensor& tensor) {
  constexpr size_t kMaxBytes = 256;
  size_t hash = static_cast<size_t>(tensor.dtype());
  for (int64_t size : tensor.shape().dims()) Mix(hash, static_cast<size_t>(size));
  if (!tensor.initialized()) return hash;
  if (IsPlain(tensor.dtype())) {
    const std::string_view bytes(static_cast<const char*>(tensor.raw()), std::min(tensor.num_bytes(), kMaxBytes));
    Mix(hash, std::hash<std::string_view>()(bytes));
  }
  return hash;
}

size_t HashAttr(const AttrValue& value) {
  if (const auto* tensor = value.get<Tensor>()) return HashTensor(*tensor);
  if (const auto* dtype = value.get<DType>()) return static_cast<size_t>(*dtype);
  if (const auto* number = value.get<int64_t>()) return static_cast<size_t>(*number);
  if (const auto* flag = value.get<bool>()) return *flag ? 1 : 0;
  return std::hash<std::string>()(value.ToString());
}

size_t HashNode(const Node& node) {
  size_t hash = std::hash<const void*>()(node.op);
  if (IsCommutative(node)) {
    const auto [a, b] = Ordered(node);
    MixInput(hash, a);
    MixInput(hash, b);
  } else {
    for (Output input : node.inputs) MixInput(hash, input);
  }
  for (NodeId id : node.control_inputs) Mix(hash, static_cast<size_t>(id));
  for (const auto& [name, value] : node.attrs) Mix(hash, HashAttr(value));
  Mix(hash, std::hash<std::string>()(node.device));
  Mix(hash, std::hash<std::string>()(node.colocate_with));
  return hash;
}

bool SameInputs(const Node& a, const Node& b) {
  return a.inputs == b.inputs || (IsCommutative(a) && Ordered(a) == Ordered(b));
}

bool AreSame(const Node& a, const Node& b) {
  return a.op == b.op && SameInputs(a, b) && a.control_inputs == b.control_inputs && a.device == b.device &&
         a.colocate_with == b.colocate_with && a.attrs == b.attrs;
}

// One run of the pass. It renames the edges of nodes to the nodes that stay.
class Merger {
 public:
  explicit Merger(Graph& graph) : graph_(graph), stays_(static_cast<size_t>(graph.num_nodes())) {
    std::iota(stays_.begin(), stays_.end(), 0);
  }

  Status Run() {
    DF_ASSIGN(const std::vector<NodeId> order, graph_.TopologicalOrder());
    seen_.reserve(order.size());
    for (NodeId id : order) Visit(id);
    if (!has_merged_) return Status();
    GraphRebuilder rebuilder = GraphRebuilder::Taking(graph_);
    for (NodeId id : order) {
      if (stays_[id] == id) {
        rebuilder.Keep(id);
      } else {
        rebuilder.MergeInto(id, rebuilder.NewNode(stays_[id]));
      }
    }
    DF_ASSIGN(graph_, rebuilder.Finish());
    return Status();
  }

 private:
  void Visit(NodeId id) {
    Node& node = graph_.mutable_node(id);
    Rename(node);
    if (!MayMerge(node)) return;
    const size_t hash = HashNode(node);
    auto [it, end] = seen_.equal_range(hash);
    it = std::find_if(it, end, [&](const auto& entry) { return AreSame(graph_.node(entry.second), node); });
    if (it == end) {
      seen_.emplace(hash, id);
    } else {
      stays_[id] = it->second;
      has_merged_ = true;
    }
  }

  void Rename(Node& node) const {
    for (Output& input : node.inputs) {
      if (input.valid()) input.node = stays_[input.node];
    }
    std::vector<NodeId>& control = node.control_inputs;
    for (NodeId& id : control) id = stays_[id];
    SortUnique(control);
    if (node.colocate_with.empty()) return;
    const NodeId with = graph_.Find(node.colocate_with);
    if (with >= 0 && stays_[with] != with) node.colocate_with = graph_.node(stays_[with]).name;
  }

  Graph& graph_;
  std::vector<NodeId> stays_;                     // by node: the first of those equal to it
  bool has_merged_ = false;                       // some node does not stay
  std::unordered_multimap<size_t, NodeId> seen_;  // by hash, of nodes that stay
};

Status MergeCommonSubexpressions(Graph& graph, const PassContext& /*context*/) {
  return Merger(graph).Run();
}

GRAPH_PASS("common_subexpressions", 130, &MergeCommonSubexpressions);

}  // namespace
}  // namespace dfrun
