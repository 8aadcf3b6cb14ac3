#include "src/passes/keep_pool_places.h"

#include <algorithm>
#include <string_view>

#include "src/passes/fusion.h"

namespace dfrun {
namespace {

using Sizes = std::vector<int64_t>;

constexpr const char* kWithPlaces = "_FusedConv2DMaxPoolPlaces";
constexpr int64_t kMostPlaces = 128;

constexpr const char* kGradient = "_MaxPoolReluGrad";
constexpr const char* kGradientAtPlaces = "_MaxPoolGradAtPlaces";

// The sizes of windows that are side by side without padding, so that they tile what they divide; else none.
Sizes TileOf(const Node& node, std::string_view prefix) {
  const auto attr = [&](const char* name) { return StrCat(prefix, name); };
  const Result<Sizes> ksize = node.attrs.Get<Sizes>(attr("ksize"));
  const Result<Sizes> strides = node.attrs.Get<Sizes>(attr("strides"));
  const Result<std::string> padding = node.attrs.Get<std::string>(attr("padding"));
  const bool tiles = ksize.ok() && strides.ok() && *ksize == *strides && ksize->size() == 4 && (*ksize)[0] == 1 &&
                     (*ksize)[3] == 1 && padding.ok() && *padding != "EXPLICIT";
  return tiles ? *ksize : Sizes();
}

// Whether `node` reads images and nothing but the gradient of their pooling comes of it.
bool IsGradientOf(const FusionView& view, const Node& conv, const Node& node) {
  if (node.op->name != kGradient || node.output_types[0].dtype != DType::kFloat || !view.OnOneDevice(conv, node)) {
    return false;
  }
  const auto reads = [&](int input, int port) { return node.inputs[input] == Output{conv.id, port}; };
  if (!reads(0, 0) || !reads(1, 1) || reads(2, 0)) return false;
  const bool has_format = node.attrs.Find("data_format") != nullptr;
  return (!has_format || HasChannelsLast(node)) && TileOf(node, "") == TileOf(conv, "pool_");
}

bool MayKeepPlaces(const FusionView& view, const Node& conv) {
  if (conv.op->name != "_FusedConv2DMaxPool") return false;
  const Sizes tile = TileOf(conv, "pool_");
  const PartialShape& images = conv.output_shapes[0];
  if (tile.empty() || tile[1] * tile[2] > kMostPlaces || !images.known_rank()) return false;
  for (int dim : {1, 2}) {
    const int64_t size = images.dim(dim);
    if (size < 0 || size % tile[static_cast<size_t>(dim)] != 0) return false;
  }
  int gradients = 0;
  for (const Consumers::Edge& edge : view.consumers().of(conv.id)) {
    if (edge.port != 0) continue;
    if (!IsGradientOf(view, conv, view.node(edge.node))) return false;
    ++gradients;
  }
  return gradients > 0;
}

std::optional<Fusion> FuseAt(const FusionView& view, const Node& node) {
  if (MayKeepPlaces(view, node)) return Fusion{node.id, {}, kWithPlaces, node.inputs, node.attrs};
  if (node.op->name != kGradient) return {};
  const Output images = node.inputs[0];
  if (images.port != 0 || !MayKeepPlaces(view, view.node(images.node))) return {};
  Fusion fusion{node.id, {}, kGradientAtPlaces, {node.inputs[0], node.inputs[2]}, {}};
  CopyAttrs(node, {"ksize"}, "", fusion.attrs);
  return fusion;
}

}  // namespace

Status KeepPoolPlaces(Graph& graph) {
  return graph.ops().Find(kWithPlaces) == nullptr ? Status() : FuseNodes(graph, &FuseAt);
}

}  // namespace dfrun
