#include "src/passes/fuse_convolutions.h"

#include "src/passes/fusion.h"

namespace dfrun {
namespace {

bool IsFloat(DType dtype) {
  return dtype == DType::kFloat || dtype == DType::kBfloat16 || dtype == DType::kHalf || dtype == DType::kDouble;
}

bool HasChannelsLast(const Node& node) {
  const AttrValue* format = node.attrs.Find("data_format");
  return format != nullptr && format->get<std::string>() != nullptr && *format->get<std::string>() == "NHWC";
}

std::optional<Fusion> FuseAt(const FusionView& view, const Node& conv) {
  if (conv.op->name != "Conv2D" || !IsFloat(conv.output_types[0].dtype) || !HasChannelsLast(conv)) return {};
  const Node* bias = view.OnlyReader(conv, 0);
  if (bias == nullptr || bias->op->name != "BiasAdd" || !HasChannelsLast(*bias)) return {};
  Fusion fusion{bias->id, {conv.id}, "_FusedConv2D", {conv.inputs[0], conv.inputs[1], bias->inputs[1]}, conv.attrs};
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

Status FuseConvolutions(Graph& graph) {
  return graph.ops().Find("_FusedConv2D") == nullptr ? Status() : FuseNodes(graph, &FuseAt);
}

}  // namespace dfrun
