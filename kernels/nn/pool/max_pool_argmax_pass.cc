// Max pooling behind a convolution keeps the argmax of each window instead of the images.
//
// Where all that reads the result of a _FusedConv2DMaxPool are gradients of its pooling, and windows tile the images,
// it becomes a _FusedConv2DMaxPoolWithArgmax, and they become _MaxPoolGradByArgmax, with the same bits: a byte for each
// window and channel is written and read instead of all its pixels, often a network's largest tensors.
#include <algorithm>
#include <string_view>

#include "kernels/device/cpu_pass.h"
#include "src/passes/fusion.h"

namespace dfrun {
namespace {

using Sizes = std::vector<int64_t>;

constexpr int64_t kMaxPixels = 128;  // pixels of a window
constexpr const char* kGradient = "_MaxPoolReluGrad";

// The sizes of windows that lie side by side without padding, so that they tile an image that they divide; else none.
Sizes TileOf(const Node& node, std::string_view prefix) {
  const auto attr = [&](const char* name) { return StrCat(prefix, name); };
  const Result<Sizes> ksize = node.attrs.Get<Sizes>(attr("ksize"));
  const Result<Sizes> strides = node.attrs.Get<Sizes>(attr("strides"));
  const Result<std::string> padding = node.attrs.Get<std::string>(attr("padding"));
  const bool tiles = ksize.ok() && strides.ok() && *ksize == *strides && ksize->size() == 4 && (*ksize)[0] == 1 &&
                     (*ksize)[3] == 1 && padding.ok() && *padding != "EXPLICIT";
  return tiles ? *ksize : Sizes();
}

// True if `node` is the gradient of the pooling of `conv` and reads no other output of it.
bool IsGradientOf(const Node& conv, const Node& node) {
  if (node.op->name != kGradient || node.output_types[0].dtype != DType::kFloat) return false;
  const auto reads = [&](int input, int port) { return node.inputs[input] == Output{conv.id, port}; };
  if (!reads(0, 0) || !reads(1, 1) || reads(2, 0)) return false;
  const bool has_format = node.attrs.Find("data_format") != nullptr;
  return (!has_format || HasChannelsLast(node)) && TileOf(node, "") == TileOf(conv, "pool_");
}

bool MayKeepArgmax(const FusionView& view, const Node& conv) {
  if (conv.op->name != "_FusedConv2DMaxPool") return false;
  const Sizes tile = TileOf(conv, "pool_");
  const PartialShape& images = conv.output_shapes[0];
  if (tile.empty() || tile[1] * tile[2] > kMaxPixels || !images.known_rank()) return false;
  for (int dim : {1, 2}) {
    const int64_t size = images.dim(dim);
    if (size < 0 || size % tile[static_cast<size_t>(dim)] != 0) return false;
  }
  int gradients = 0;
  for (const Consumers::Edge& edge : view.consumers().of(conv.id)) {
    if (edge.port != 0) continue;
    if (!IsGradientOf(conv, view.node(edge.node))) return false;
    ++gradients;
  }
  return gradients > 0;
}

std::optional<Fusion> RouteToArgmax(const FusionView& view, const Node& node) {
  if (MayKeepArgmax(view, node)) return Fusion{node.id, {}, "_FusedConv2DMaxPoolWithArgmax", node.inputs, node.attrs};
  if (node.op->name != kGradient) return {};
  const Output images = node.inputs[0];
  if (images.port != 0 || !MayKeepArgmax(view, view.node(images.node))) return {};
  Fusion fusion{node.id, {}, "_MaxPoolGradByArgmax", {node.inputs[0], node.inputs[2]}, {}};
  CopyAttrs(node, {"ksize"}, "", fusion.attrs);
  return fusion;
}

// This pass follows fuse_max_pool, which makes the nodes that it looks for.
CPU_PASS("max_pool_argmax", 30,
         [](Graph& graph, const PassContext& /*context*/) { return FuseNodes(graph, &RouteToArgmax); });

}  // namespace
}  // namespace dfrun
