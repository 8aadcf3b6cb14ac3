#include "src/passes/fuse_max_pools.h"

#include "src/graph/control_flow.h"
#include "src/passes/fusion.h"

namespace dfrun {
namespace {

constexpr const char* kFused = "_FusedConv2DMaxPool";

// Whether a node is max pooling in space of images with their channels last.
bool IsPlainPool(const Node& node) {
  if (node.op->name != "MaxPool" || !node.control_inputs.empty()) return false;
  const Result<std::vector<int64_t>> ksize = node.attrs.Get<std::vector<int64_t>>("ksize");
  const Result<std::vector<int64_t>> strides = node.attrs.Get<std::vector<int64_t>>("strides");
  return HasChannelsLast(node) && ksize.ok() && ksize->size() == 4 && (*ksize)[3] == 1 && strides.ok() &&
         strides->size() == 4 && (*strides)[3] == 1;
}

std::optional<Fusion> FuseAt(const FusionView& view, const Node& conv) {
  if (conv.op->name != "_FusedConv2D" || conv.output_types[0].dtype != DType::kFloat) return {};
  for (const Consumers::Edge& edge : view.consumers().of(conv.id)) {
    if (edge.port < 0) continue;
    const Node& pool = view.node(edge.node);
    if (!IsPlainPool(pool) || !view.OnOneDevice(conv, pool)) continue;
    Fusion fusion{conv.id, {}, kFused, conv.inputs, conv.attrs, pool.id};
    CopyAttrs(pool, {"ksize", "strides", "padding", "explicit_paddings"}, "pool_", fusion.attrs);
    return fusion;
  }
  return {};
}

}  // namespace

Status FuseMaxPools(Graph& graph) {
  if (graph.ops().Find(kFused) == nullptr || HasControlFlow(graph)) return Status();
  return FuseNodes(graph, &FuseAt);
}

}  // namespace dfrun
