// On GPUs, a matrix product, BiasAdd and Gelu become one node, which adds a bias that the library's product lacks and
// computes Gelu in one pass. If others read the sum, as Gelu's gradient does, the node outputs it too (_MatMulBiasGelu,
// which has the name of BiasAdd); else it is a _FusedMatMul. Bits stay.
#include "kernels/device/cuda_pass.h"
#include "src/graph/control_flow.h"
#include "src/passes/pattern.h"

namespace dfrun {
namespace {

bool IsApproximate(const Node& gelu) {
  return IsSet(gelu, "approximate");
}

// The fused node, which takes the name of the BiasAdd.
std::optional<Fusion> Fused(const Node& bias, const Node& product, const char* op) {
  if (!IsFloating(product.output_types[0].dtype) || !HasChannelsLast(bias)) return {};
  Fusion fusion{bias.id, {product.id}, op, {product.inputs[0], product.inputs[1], bias.inputs[1]}, product.attrs};
  fusion.attrs.Erase("grad_a");
  fusion.attrs.Erase("grad_b");
  return fusion;
}

// Gelu alone reads the sum.
std::optional<Fusion> FuseGelu(const FusionView& view, const Node& gelu) {
  static const Pattern kGelu{{"Gelu"}, {{{"BiasAdd"}, {{{"MatMul"}}}}}};
  const auto match = Match(view, gelu, kGelu);
  if (!match) return {};
  auto fusion = Fused(view.node((*match)[1]), view.node((*match)[2]), "_FusedMatMul");
  if (!fusion) return {};
  fusion->last = gelu.id;
  fusion->removed = {match->begin() + 1, match->end()};
  fusion->attrs.Set("fused_ops",
                    std::vector<std::string>{"BiasAdd", IsApproximate(gelu) ? "GeluApproximate" : "GeluExact"});
  return fusion;
}

// Others read the sum too. In a training the update of the weights waits for the product.
std::optional<Fusion> FuseBiasAndGelu(const FusionView& view, const Node& bias) {
  static const Pattern kBias{{"BiasAdd"}, {{.ops = {"MatMul"}, .may_be_awaited = true}}};
  const auto match = Match(view, bias, kBias);
  if (!match) return {};
  for (const Consumers::Edge& edge : view.consumers().of(bias.id)) {
    const Node& reader = view.node(edge.node);
    if (edge.port < 0 || reader.op->name != "Gelu" || !reader.control_inputs.empty()) continue;
    auto fusion = Fused(bias, view.node(match->back()), "_MatMulBiasGelu");
    if (!fusion) return {};
    fusion->second = reader.id;
    fusion->attrs.Set("approximate", IsApproximate(reader));
    return fusion;
  }
  return {};
}

std::optional<Fusion> FuseAt(const FusionView& view, const Node& node) {
  if (auto fusion = FuseGelu(view, node)) return fusion;
  return FuseBiasAndGelu(view, node);
}

// This pass runs before fuse_bias, which would take the product and the bias.
CUDA_PASS("fuse_gelu", 10, [](Graph& graph, const PassContext& /*context*/) {
  return HasControlFlow(graph) ? Status() : FuseNodes(graph, &FuseAt);
});

}  // namespace
}  // namespace dfrun
