#include "src/events/shown_graph.h"

#include <map>
#include <set>

#include "src/graph/graph_def/attr_proto.h"
#include "src/graph/graph_def/unknown_ops.h"
#include "src/graph/proto/graph.pb.h"

namespace dfrun {
namespace {

constexpr size_t kMaxAttrBytes = 1024;

using SendOfChannel = std::map<int64_t, std::string>;

int64_t ChannelOf(const Node& node) {
  const Result<int64_t> channel = node.attrs.Get<int64_t>("channel");
  return channel.ok() ? *channel : -1;
}

bool IsLargeTensor(const AttrValue& value) {
  const auto* tensor = value.get<Tensor>();
  return tensor != nullptr && tensor->num_elements() > static_cast<int64_t>(kMaxAttrBytes);
}

void ShowAttrs(const Node& node, proto::NodeDef& shown) {
  auto& attrs = *shown.mutable_attr();
  proto::AttrValue left_out;
  for (const auto& [name, value] : node.attrs) {
    proto::AttrValue attr;
    if (!IsLargeTensor(value)) AttrToProto(value, attr);
    if (IsLargeTensor(value) || attr.ByteSizeLong() > kMaxAttrBytes) {
      left_out.mutable_list()->add_s(name);
    } else {
      attrs[name] = std::move(attr);
    }
  }
  if (left_out.has_list()) attrs["_too_large_attrs"] = std::move(left_out);
  for (const PartialShape& shape : node.output_shapes) {
    ShapeToProto(shape, *attrs["_output_shapes"].mutable_list()->add_shape());
  }
}

void ShowNode(const Graph& graph, const Node& node, const SendOfChannel& sends, proto::NodeDef& shown) {
  shown.set_name(node.name);
  shown.set_op(OpNameOf(node));
  shown.set_device(node.device);
  for (const Output& input : node.inputs) {
    if (input.valid()) shown.add_input(OutputName(graph, input));
  }
  if (node.op->traits.boundary == Boundary::kRecv) {
    if (const auto send = sends.find(ChannelOf(node)); send != sends.end()) shown.add_input(send->second);
  }
  for (const NodeId id : node.control_inputs) shown.add_input("^" + graph.node(id).name);
  ShowAttrs(node, shown);
}

}  // namespace

std::string ShownGraphDef(std::span<const Graph* const> partitions) {
  SendOfChannel sends;
  for (const Graph* graph : partitions) {
    for (const Node& node : graph->nodes()) {
      if (node.op->traits.boundary == Boundary::kSend) sends[ChannelOf(node)] = node.name;
    }
  }
  proto::GraphDef def;
  std::set<std::string> names;
  for (const Graph* graph : partitions) {
    for (const Node& node : graph->nodes()) {
      if (names.insert(node.name).second) ShowNode(*graph, node, sends, *def.add_node());
    }
  }
  return def.SerializeAsString();
}

}  // namespace dfrun
