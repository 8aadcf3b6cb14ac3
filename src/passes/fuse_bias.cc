#include "src/passes/fuse_bias.h"

#include "src/passes/fusion.h"

namespace dfrun {
namespace {

// The op that a node becomes with what follows it; null if it stays.
const char* FusedOp(const Node& node) {
  if (node.num_outputs() != 1) return nullptr;
  const DType dtype = node.output_types[0].dtype;
  const bool is_wide = dtype == DType::kFloat || dtype == DType::kDouble;
  if (node.op->name == "MatMul") return is_wide ? "_FusedMatMul" : nullptr;
  if (node.op->name != "Conv2D" || !HasChannelsLast(node)) return nullptr;
  return is_wide || dtype == DType::kBfloat16 || dtype == DType::kHalf ? "_FusedConv2D" : nullptr;
}

// The attrs of a node that the fused one has too; which operand's gradient a product is says nothing more.
AttrMap AttrsOf(const Node& node) {
  AttrMap attrs;
  for (const auto& [name, value] : node.attrs) {
    if (name != "grad_a" && name != "grad_b") attrs.Set(name, value);
  }
  return attrs;
}

std::optional<Fusion> FuseAt(const FusionView& view, const Node& first) {
  const char* const op = FusedOp(first);
  if (op == nullptr || view.graph().ops().Find(op) == nullptr) return {};
  const Node* bias = view.OnlyReader(first, 0);
  if (bias == nullptr || bias->op->name != "BiasAdd" || !HasChannelsLast(*bias)) return {};
  Fusion fusion{bias->id, {first.id}, op, {first.inputs[0], first.inputs[1], bias->inputs[1]}, AttrsOf(first)};
  std::vector<std::string> ops = {"BiasAdd"};
  if (const Node* relu = view.OnlyReader(*bias, 0); relu != nullptr && relu->op->name == "Relu") {
    fusion.gone.push_back(bias->id);
    fusion.last = relu->id;
    ops.emplace_back("Relu");
  }
  fusion.attrs.Set("fused_ops", std::move(ops));
  return fusion;
}

}  // namespace

Status FuseBias(Graph& graph) {
  return FuseNodes(graph, &FuseAt);
}

}  // namespace dfrun
