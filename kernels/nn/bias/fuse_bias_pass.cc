// A convolution or a matrix product, BiasAdd and Relu become one node: bias and activation are applied to a part of the
// result while it is in the cache, where each would go over it in memory; on GPUs too, where products of 16-bit
// numbers are among them. The fused node, a _FusedConv2D (with channels last) or a _FusedMatMul, has the name of the
// last. Bits stay.
#include "kernels/device/cpu_pass.h"
#include "kernels/device/cuda_pass.h"
#include "src/graph/control_flow.h"
#include "src/passes/pattern.h"

namespace dfrun {
namespace {

// The op that a node becomes together with its successors; null if it stays.
const char* FusedOp(const Node& node, bool is_on_gpu) {
  const bool is_floating = IsFloating(node.output_types[0].dtype);
  if (node.op->name == "MatMul") {
    return (is_on_gpu ? is_floating : IsOfFloats(node)) ? "_FusedMatMul" : nullptr;
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

std::optional<Fusion> FusedWithBias(const Node& product, const Node& bias, bool is_on_gpu) {
  const char* const op = FusedOp(product, is_on_gpu);
  if (op == nullptr || !HasChannelsLast(bias)) return {};
  Fusion fusion{bias.id, {product.id}, op, {}, AttrsOf(product)};
  fusion.inputs = {product.inputs[0], product.inputs[1], bias.inputs[1]};
  fusion.attrs.Set("fused_ops", std::vector<std::string>{"BiasAdd"});
  return fusion;
}

template <bool kOnGpu>
std::optional<Fusion> FuseAt(const FusionView& view, const Node& last) {
  static const Pattern kBias{{"BiasAdd"}, {{{"MatMul", "Conv2D"}}}};
  static const Pattern kRelu{{"Relu"}, {kBias}};
  const bool has_relu = last.op->name == "Relu";
  const auto match = Match(view, last, has_relu ? kRelu : kBias);
  if (!match) return {};
  auto fusion = FusedWithBias(view.node(match->back()), view.node((*match)[has_relu ? 1 : 0]), kOnGpu);
  if (!fusion || !has_relu) return fusion;
  fusion->last = last.id;
  fusion->removed = {match->begin() + 1, match->end()};
  fusion->attrs.Set("fused_ops", std::vector<std::string>{"BiasAdd", "Relu"});
  return fusion;
}

// In a training the updates of weights and biases wait until those are read: by the product and by BiasAdd. One of the
// nodes that become one may be such a reader, so the product and BiasAdd do first, and then that and Relu.
std::optional<Fusion> FuseAwaitedProduct(const FusionView& view, const Node& bias) {
  static const Pattern kBias{{"BiasAdd"}, {{.ops = {"MatMul", "Conv2D"}, .may_be_awaited = true}}};
  const auto match = Match(view, bias, kBias);
  if (!match) return {};
  return FusedWithBias(view.node(match->back()), bias, /*is_on_gpu=*/true);
}
std::optional<Fusion> FuseAwaitedBias(const FusionView& view, const Node& relu) {
  static const Pattern kRelu{{"Relu"}, {{.ops = {"_FusedMatMul", "_FusedConv2D"}, .may_be_awaited = true}}};
  const auto match = Match(view, relu, kRelu);
  if (!match) return {};
  const Node& product = view.node(match->back());
  const auto ops = product.attrs.Get<std::vector<std::string>>("fused_ops");
  if (!ops.ok() || *ops != std::vector<std::string>{"BiasAdd"}) return {};
  Fusion fusion{relu.id, {product.id}, product.op->name, product.inputs, product.attrs};
  fusion.attrs.Set("fused_ops", std::vector<std::string>{"BiasAdd", "Relu"});
  return fusion;
}

CPU_PASS("fuse_bias", 10,
         [](Graph& graph, const PassContext& /*context*/) { return FuseNodes(graph, &FuseAt<false>); });
CUDA_PASS("fuse_bias", 11, [](Graph& graph, const PassContext& /*context*/) {
  if (HasControlFlow(graph)) return FuseNodes(graph, &FuseAt<true>);
  DF_TRY(FuseNodes(graph, &FuseAwaitedProduct));
  return FuseNodes(graph, &FuseAwaitedBias);
});

}  // namespace
}  // namespace dfrun
