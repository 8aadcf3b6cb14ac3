// A convolution or a matrix product, BiasAdd and Relu become one node: bias and activation are applied to a part of the
// result while it is in the cache, where each would go over it in memory; on cards too, where products of 16-bit
// numbers are among them. The fused node, a _FusedConv2D (with channels last) or a _FusedMatMul, has the name of the
// last. Bits stay.
#include "kernels/device/cpu_pass.h"
#include "kernels/device/cuda_pass.h"
#include "src/passes/pattern.h"

namespace dfrun {
namespace {

// The op that a node becomes with what follows it; null if it stays.
const char* FusedOp(const Node& node, bool is_on_card) {
  const bool is_floating = IsFloating(node.output_types[0].dtype);
  if (node.op->name == "MatMul") {
    return (is_on_card ? is_floating : IsOfFloats(node)) ? "_FusedMatMul" : nullptr;
  }
  return HasChannelsLast(node) && is_floating ? "_FusedConv2D" : nullptr;
}

// The attrs of a node that the fused one has too; which operand's gradient a product is says nothing more.
AttrMap AttrsOf(const Node& node) {
  AttrMap attrs;
  for (const auto& [name, value] : node.attrs) {
    if (name != "grad_a" && name != "grad_b") attrs.Set(name, value);
  }
  return attrs;
}

template <bool kOnCard>
std::optional<Fusion> FuseAt(const FusionView& view, const Node& last) {
  static const Pattern kBias{{"BiasAdd"}, {{{"MatMul", "Conv2D"}}}};
  static const Pattern kRelu{{"Relu"}, {kBias}};
  const bool has_relu = last.op->name == "Relu";
  const auto match = Match(view, last, has_relu ? kRelu : kBias);
  if (!match) return {};
  const Node& first = view.node(match->back());
  const Node& bias = view.node((*match)[has_relu ? 1 : 0]);
  const char* const op = FusedOp(first, kOnCard);
  if (op == nullptr || !HasChannelsLast(bias)) return {};
  Fusion fusion{last.id, {match->begin() + 1, match->end()}, op, {}, AttrsOf(first)};
  fusion.inputs = {first.inputs[0], first.inputs[1], bias.inputs[1]};
  std::vector<std::string> ops = {"BiasAdd"};
  if (has_relu) ops.emplace_back("Relu");
  fusion.attrs.Set("fused_ops", std::move(ops));
  return fusion;
}

template <bool kOnCard>
Status FuseBias(Graph& graph, const PassContext& /*context*/) {
  return FuseNodes(graph, &FuseAt<kOnCard>);
}
CPU_PASS("fuse_bias", 10, &FuseBias<false>);
CUDA_PASS("fuse_bias", 10, &FuseBias<true>);

}  // namespace
}  // namespace dfrun
