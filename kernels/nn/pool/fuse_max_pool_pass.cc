// Max pooling as a part of the convolution before it, and its gradient with that of the Relu between them: each reads
// the images once, or pools them while they are in the cache. Bits stay.
#include "kernels/device/cpu_pass.h"
#include "src/graph/control_flow.h"
#include "src/passes/pattern.h"

namespace dfrun {
namespace {

// True if a node is max pooling in space of images with their channels last.
bool IsPlainPool(const Node& node) {
  if (node.op->name != "MaxPool" || !node.control_inputs.empty()) return false;
  const Result<std::vector<int64_t>> ksize = node.attrs.Get<std::vector<int64_t>>("ksize");
  const Result<std::vector<int64_t>> strides = node.attrs.Get<std::vector<int64_t>>("strides");
  return HasChannelsLast(node) && ksize.ok() && ksize->size() == 4 && (*ksize)[3] == 1 && strides.ok() &&
         strides->size() == 4 && (*strides)[3] == 1;
}

// A _FusedConv2D of float and a MaxPool that reads it become a _FusedConv2DMaxPool of two outputs.
std::optional<Fusion> FusePool(const FusionView& view, const Node& conv) {
  if (conv.op->name != "_FusedConv2D" || conv.output_types[0].dtype != DType::kFloat) return {};
  for (const Consumers::Edge& edge : view.consumers().of(conv.id)) {
    const Node& pool = view.node(edge.node);
    if (edge.port < 0 || !IsPlainPool(pool)) continue;
    Fusion fusion{conv.id, {}, "_FusedConv2DMaxPool", conv.inputs, conv.attrs, pool.id};
    CopyAttrs(pool, {"ksize", "strides", "padding", "explicit_paddings"}, "pool_", fusion.attrs);
    return fusion;
  }
  return {};
}

// ReluGrad(MaxPoolGrad(x, y, dy), x).
std::optional<Fusion> FuseGradient(const FusionView& view, const Node& relu) {
  static const Pattern kGradient{{"ReluGrad"}, {{{"MaxPoolGrad"}}}};
  const auto match = Match(view, relu, kGradient);
  if (!match) return {};
  const Node& pool = view.node(match->back());
  if (!(relu.inputs[1] == pool.inputs[0])) return {};
  return Fusion{relu.id, {pool.id}, "_MaxPoolReluGrad", pool.inputs, pool.attrs};
}

CPU_PASS("fuse_max_pool", 20, [](Graph& graph, const PassContext& /*context*/) {
  if (!HasControlFlow(graph)) DF_TRY(FuseNodes(graph, &FusePool));
  return FuseNodes(graph, &FuseGradient);
});

}  // namespace
}  // namespace dfrun
