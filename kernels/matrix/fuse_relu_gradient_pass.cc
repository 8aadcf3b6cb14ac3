// The gradient of a Relu as a part of the matrix product that gives the gradient by the Relu's result: ReluGrad of a
// MatMul of float or double that nothing else reads becomes a _FusedMatMul, with the same bits. Graphs with control
// flow, where waiting passes deadness on, are left alone.
#include "kernels/device/cpu_pass.h"
#include "src/graph/control_flow.h"
#include "src/passes/pattern.h"

namespace dfrun {
namespace {

std::optional<Fusion> FuseReluGradientAt(const FusionView& view, const Node& relu) {
  static const Pattern kGradient{{"ReluGrad"}, {{.ops = {"MatMul"}, .may_be_awaited = true}}};
  const auto match = Match(view, relu, kGradient);
  if (!match || view.graph().is_ref(relu.inputs[1])) return {};
  const Node& product = view.node(match->back());
  if (!IsOfFloats(product)) return {};
  Fusion fusion{relu.id, {product.id}, "_FusedMatMul", product.inputs, {}};
  fusion.inputs.push_back(relu.inputs[1]);
  CopyAttrs(product, {"T", "transpose_a", "transpose_b"}, "", fusion.attrs);
  fusion.attrs.Set("fused_ops", std::vector<std::string>{"ReluGrad"});
  return fusion;
}

CPU_PASS("fuse_relu_gradient", 40, [](Graph& graph, const PassContext& /*context*/) {
  return HasControlFlow(graph) ? Status() : FuseNodes(graph, &FuseReluGradientAt);
});

}  // namespace
}  // namespace dfrun
