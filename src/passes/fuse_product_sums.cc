#include "src/passes/fuse_product_sums.h"

#include "src/passes/fusion.h"

namespace dfrun {
namespace {

// A product whose value goes nowhere but to its reader, and that may be computed later than it stands.
bool IsMovableProduct(const FusionView& view, const Node& node) {
  if (node.op->name != "MatMul" || !view.HasOneReader(node)) return false;
  const DType dtype = node.output_types[0].dtype;
  return (dtype == DType::kFloat || dtype == DType::kDouble) && !view.graph().is_ref(node.inputs[0]) &&
         !view.graph().is_ref(node.inputs[1]);
}

// The product that `sum` adds by `input`, with what lies between appended to `gone`; null if there is none.
const Node* ProductOf(const FusionView& view, const Node& sum, Output input, std::vector<NodeId>& gone) {
  const Node* node = &view.node(input.node);
  if (!view.OnOneDevice(*node, sum)) return nullptr;
  if (node->op->name == "Identity") {
    if (!view.HasOneReader(*node) || view.IsAwaited(*node) || !node->inputs[0].valid()) return nullptr;
    gone.push_back(node->id);
    node = &view.node(node->inputs[0].node);
  }
  if (!IsMovableProduct(view, *node)) return nullptr;
  gone.push_back(node->id);
  return node;
}

std::optional<Fusion> FuseAt(const FusionView& view, const Node& sum) {
  if (sum.op->name != "AddN" || sum.num_inputs() < 2 || !sum.control_inputs.empty()) return {};
  Fusion fusion{sum.id, {}, "_MatMulSum", {}, {}};
  std::vector<Output> second;
  const Node* first = nullptr;
  for (Output input : sum.inputs) {
    const Node* product = ProductOf(view, sum, input, fusion.gone);
    if (product == nullptr) return {};
    if (first == nullptr) first = product;
    if (IsSet(*product, "transpose_a") != IsSet(*first, "transpose_a")) return {};
    if (IsSet(*product, "transpose_b") != IsSet(*first, "transpose_b")) return {};
    fusion.inputs.push_back(product->inputs[0]);
    second.push_back(product->inputs[1]);
  }
  if (first == nullptr) return {};
  fusion.inputs.insert(fusion.inputs.end(), second.begin(), second.end());
  fusion.attrs.Set("T", sum.output_types[0].dtype);
  fusion.attrs.Set("N", static_cast<int64_t>(sum.num_inputs()));
  fusion.attrs.Set("transpose_a", IsSet(*first, "transpose_a"));
  fusion.attrs.Set("transpose_b", IsSet(*first, "transpose_b"));
  return fusion;
}

}  // namespace

Status FuseProductSums(Graph& graph) {
  return graph.ops().Find("_MatMulSum") == nullptr ? Status() : FuseNodes(graph, &FuseAt);
}

}  // namespace dfrun
