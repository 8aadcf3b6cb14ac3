// A step of gradient descent as a part of the matrix product that gives the gradient, which is then added, times minus
// the rate, to the weight while it is in the cache: neither does the gradient go through memory, nor the weight twice.
//
// (Resource)ApplyGradientDescent of a variable by a MatMul or a _MatMulSum, and AssignSub (AssignSubVariableOp) of one
// times a scalar, become a _MatMul(Resource)ApplyGradientDescent, with the same bits, where nothing else reads the
// gradient and every other reader of the variable runs before the update or after it: the update now takes as long as
// the product. Small weights and products of great depth, where it would gain nothing, stay.
#include <algorithm>
#include <string_view>

#include "kernels/device/cpu_pass.h"
#include "src/graph/order/node_order.h"
#include "src/graph/order/variable_readers.h"
#include "src/graph/update_gate.h"
#include "src/passes/pattern.h"

namespace dfrun {
namespace {

// The least number of elements: a smaller weight is still in a core's cache when it is to be updated, and the product
// has quicker ways.
constexpr int64_t kMinElements = int64_t{1} << 15;
// Products over more than this are made in several passes, each of which goes over the whole result.
constexpr int64_t kMaxDepth = 1024;

// The rank-0 value that all of a step is multiplied by.
bool IsRate(const Graph& graph, Output value) {
  return value.valid() && graph.shape(value).known_rank() && graph.shape(value).rank() == 0;
}

// The number of elements over which term `i` of a product or of a sum of products is summed; -1: not known.
int64_t DepthOf(const Graph& graph, const Node& product, int i) {
  const PartialShape& a = graph.shape(product.inputs[i]);
  if (!a.known_rank() || a.rank() != 2) return PartialShape::kUnknown;
  return a.dim(IsSet(product, "transpose_a") ? 0 : 1);
}

// True if fusing the product, or the sum of products, saves time.
bool IsWorthwhile(const Graph& graph, const Node& product) {
  const PartialShape& shape = product.output_shapes[0];
  if (!shape.IsFullyDefined() || shape.rank() != 2 || shape.dim(0) * shape.dim(1) < kMinElements) return false;
  int64_t depth = 0;
  for (int i = 0; i < product.num_inputs() / 2; ++i) {
    const int64_t of_term = DepthOf(graph, product, i);
    if (of_term < 0 || of_term > kMaxDepth - depth) return false;
    depth += of_term;
  }
  return true;
}

struct Update {
  Output rate;
  std::vector<NodeId> removed;  // the product last
};

// None where the node is no update by a product times a rate.
std::optional<Update> UpdateOf(const FusionView& view, const Node& node) {
  static const Pattern kProduct{.ops = {"MatMul", "_MatMulSum"}, .may_be_awaited = true};
  static const Pattern kApply{{"ApplyGradientDescent", "ResourceApplyGradientDescent"}, {{}, {}, kProduct}};
  static const Pattern kByRate{{"AssignSub", "AssignSubVariableOp"}, {{}, {{"Mul"}, {{}, kProduct}}}};
  static const Pattern kOfRate{kByRate.ops, {{}, {{"Mul"}, {kProduct}}}};
  if (const auto match = Match(view, node, kApply)) return Update{node.inputs[1], {match->back()}};
  for (const int rate : {0, 1}) {
    const auto match = Match(view, node, rate == 0 ? kByRate : kOfRate);
    if (!match) continue;
    const Output value = view.node((*match)[1]).inputs[rate];
    if (!IsRate(view.graph(), value) || view.graph().is_ref(value)) continue;  // that is read when the Mul runs
    return Update{value, {match->begin() + 1, match->end()}};
  }
  return {};
}

std::optional<Fusion> FuseUpdateAt(const FusionView& view, const Node& node) {
  std::optional<Update> update = UpdateOf(view, node);
  if (!update || !IsRate(view.graph(), update->rate) || !IsVariable(view.node(node.inputs[0].node))) return {};
  const Node& product = view.node(update->removed.back());
  if (!IsOfFloats(product) || ReadsRef(view.graph(), product) || !IsWorthwhile(view.graph(), product)) return {};
  const bool by_ref = view.graph().is_ref(node.inputs[0]);
  Fusion fusion{node.id, std::move(update->removed), "", {node.inputs[0], update->rate}, {}};
  fusion.op = by_ref ? "_MatMulApplyGradientDescent" : "_MatMulResourceApplyGradientDescent";
  fusion.inputs.insert(fusion.inputs.end(), product.inputs.begin(), product.inputs.end());
  fusion.attrs.Set("N", static_cast<int64_t>(product.num_inputs() / 2));
  CopyAttrs(node, {kGatedAttr, kGateGroupAttr}, "", fusion.attrs);
  CopyAttrs(product, {"T", "transpose_a", "transpose_b"}, "", fusion.attrs);
  return fusion;
}

// Marks those of `updates` that come before or after every other reader of their variables.
std::vector<bool> FindOrdered(const FusionView& view, std::span<const NodeId> order,
                              const std::vector<NodeId>& updates) {
  const Graph& graph = view.graph();
  const VariableReaders variables(graph, view.consumers());
  std::vector<bool> found(static_cast<size_t>(graph.num_nodes()), false);
  for (size_t first = 0; first < updates.size(); first += NodeOrder::kMax) {
    const std::span<const NodeId> some =
        std::span(updates).subspan(first, std::min(NodeOrder::kMax, updates.size() - first));
    const NodeOrder node_order(graph, order, some);
    for (size_t i = 0; i < some.size(); ++i) {
      const std::vector<NodeId> readers = variables.Of(graph.node(some[i]).inputs[0].node);
      found[some[i]] =
          std::all_of(readers.begin(), readers.end(), [&](NodeId id) { return node_order.IsOrdered(id, i); });
    }
  }
  return found;
}

Status FuseSgdUpdates(Graph& graph, const PassContext& /*context*/) {
  const FusionView view(graph);
  std::vector<NodeId> updates;
  for (const Node& node : graph.nodes()) {
    if (FuseUpdateAt(view, node)) updates.push_back(node.id);
  }
  if (updates.empty()) return Status();
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  const std::vector<bool> is_ordered = FindOrdered(view, order, updates);
  return FuseNodes(graph, [&](const FusionView& now, const Node& node) {
    return is_ordered[static_cast<size_t>(node.id)] ? FuseUpdateAt(now, node) : std::nullopt;
  });
}

// This pass follows fuse_matmul_addn, whose sums it takes.
CPU_PASS("fuse_sgd_update", 60, &FuseSgdUpdates);

}  // namespace
}  // namespace dfrun
