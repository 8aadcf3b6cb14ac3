#include "src/passes/fuse_descents.h"

#include <algorithm>
#include <string_view>

#include "src/graph/update_gate.h"
#include "src/passes/fusion.h"
#include "src/passes/node_order.h"
#include "src/passes/variable_readers.h"

namespace dfrun {
namespace {

// Below, a weight is still in a core's cache when it is to be updated, and the product has quicker ways.
constexpr int64_t kLeastElements = int64_t{1} << 15;
// Products over more than this are made in several passes, each of which goes over the whole result.
constexpr int64_t kMostDepth = 1024;

// The rank-0 value that all of a step is multiplied by.
bool IsRate(const Graph& graph, Output value) {
  return value.valid() && graph.shape(value).known_rank() && graph.shape(value).rank() == 0;
}

// Over how much term `i` of a product or of a sum of products is summed; -1: that is not known.
int64_t DepthOf(const Graph& graph, const Node& product, int i) {
  const PartialShape& a = graph.shape(product.inputs[i]);
  if (!a.known_rank() || a.rank() != 2) return PartialShape::kUnknown;
  return a.dim(IsSet(product, "transpose_a") ? 0 : 1);
}

// Of a product or of a sum of products.
bool IsWorthwhile(const Graph& graph, const Node& product) {
  const PartialShape& shape = product.output_shapes[0];
  if (!shape.IsFullyDefined() || shape.rank() != 2 || shape.dim(0) * shape.dim(1) < kLeastElements) return false;
  int64_t depth = 0;
  for (int i = 0; i < product.num_inputs() / 2; ++i) {
    const int64_t of_term = DepthOf(graph, product, i);
    if (of_term < 0 || of_term > kMostDepth - depth) return false;
    depth += of_term;
  }
  return true;
}

// A product, or a sum of them, that may be computed later than it stands, for its one reader.
bool IsMovableProduct(const FusionView& view, const Node& node) {
  if ((node.op->name != "MatMul" && node.op->name != "_MatMulSum") || !view.HasOneReader(node)) return false;
  const DType dtype = node.output_types[0].dtype;
  const Graph& graph = view.graph();
  return (dtype == DType::kFloat || dtype == DType::kDouble) &&
         std::none_of(node.inputs.begin(), node.inputs.end(), [&](Output input) { return graph.is_ref(input); }) &&
         IsWorthwhile(graph, node);
}

struct Step {
  Output rate;
  Output gradient;
};

// Whether nothing would miss a node that stands between a product and the update.
bool MayGo(const FusionView& view, const Node& node) {
  return view.HasOneReader(node) && !view.IsAwaited(node);
}

// What a node that is an update by gradient descent takes off its variable; what stands between is appended to `gone`.
std::optional<Step> StepOf(const FusionView& view, const Node& update, std::vector<NodeId>& gone) {
  const std::string_view op = update.op->name;
  if (op == "ApplyGradientDescent" || op == "ResourceApplyGradientDescent") {
    return Step{update.inputs[1], update.inputs[2]};
  }
  if (op != "AssignSub" && op != "AssignSubVariableOp") return {};
  const Node& times = view.node(update.inputs[1].node);
  if (times.op->name != "Mul" || !MayGo(view, times)) return {};
  gone.push_back(times.id);
  const int rate = IsRate(view.graph(), times.inputs[0]) ? 0 : 1;
  if (view.graph().is_ref(times.inputs[rate])) return {};  // what it is now counts, not at the time of the update
  return Step{times.inputs[rate], times.inputs[1 - rate]};
}

// The product that gives a gradient, it and what lies between appended to `gone`; null if there is none.
const Node* ProductOf(const FusionView& view, Output gradient, std::vector<NodeId>& gone) {
  const Node* node = &view.node(gradient.node);
  if (node->op->name == "Identity") {
    if (!MayGo(view, *node) || !node->inputs[0].valid()) return nullptr;
    gone.push_back(node->id);
    node = &view.node(node->inputs[0].node);
  }
  if (!IsMovableProduct(view, *node)) return nullptr;
  gone.push_back(node->id);
  return node;
}

std::optional<Fusion> FuseAt(const FusionView& view, const Node& update) {
  Fusion fusion{update.id, {}, "", {}, {}};
  const std::optional<Step> step = StepOf(view, update, fusion.gone);
  if (!step || !IsRate(view.graph(), step->rate)) return {};
  const Node& variable = view.node(update.inputs[0].node);
  const Node* product = ProductOf(view, step->gradient, fusion.gone);
  if (product == nullptr || !IsVariable(variable) || !view.OnOneDevice(variable, update) ||
      !view.OnOneDevice(*product, update)) {
    return {};
  }
  const bool by_ref = view.graph().is_ref(update.inputs[0]);
  fusion.op = by_ref ? "_MatMulApplyGradientDescent" : "_MatMulResourceApplyGradientDescent";
  fusion.inputs = {update.inputs[0], step->rate};
  fusion.inputs.insert(fusion.inputs.end(), product->inputs.begin(), product->inputs.end());
  fusion.attrs.Set("N", static_cast<int64_t>(product->num_inputs() / 2));
  CopyAttrs(update, {kGatedAttr}, "", fusion.attrs);
  fusion.attrs.Set("T", product->output_types[0].dtype);
  fusion.attrs.Set("transpose_a", IsSet(*product, "transpose_a"));
  fusion.attrs.Set("transpose_b", IsSet(*product, "transpose_b"));
  return fusion;
}

// Those of `updates` that come before or after every other reader of their variables.
std::vector<bool> FindOrdered(const FusionView& view, std::span<const NodeId> order,
                              const std::vector<NodeId>& updates) {
  const Graph& graph = view.graph();
  const VariableReaders variables(graph, view.consumers());
  std::vector<bool> found(static_cast<size_t>(graph.num_nodes()), false);
  for (size_t first = 0; first < updates.size(); first += NodeOrder::kMost) {
    const std::span<const NodeId> some =
        std::span(updates).subspan(first, std::min(NodeOrder::kMost, updates.size() - first));
    const NodeOrder node_order(graph, order, some);
    for (size_t i = 0; i < some.size(); ++i) {
      const std::vector<NodeId> readers = variables.Of(graph.node(some[i]).inputs[0].node);
      found[some[i]] =
          std::all_of(readers.begin(), readers.end(), [&](NodeId id) { return node_order.IsOrdered(id, i); });
    }
  }
  return found;
}

}  // namespace

Status FuseDescents(Graph& graph) {
  if (graph.ops().Find("_MatMulApplyGradientDescent") == nullptr) return Status();
  std::vector<NodeId> updates;
  const FusionView view(graph);
  for (const Node& node : graph.nodes()) {
    if (FuseAt(view, node)) updates.push_back(node.id);
  }
  if (updates.empty()) return Status();
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  const std::vector<bool> is_ordered = FindOrdered(view, order, updates);
  return FuseNodes(graph, [&](const FusionView& now, const Node& node) {
    return is_ordered[static_cast<size_t>(node.id)] ? FuseAt(now, node) : std::nullopt;
  });
}

}  // namespace dfrun
