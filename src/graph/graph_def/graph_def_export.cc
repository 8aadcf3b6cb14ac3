#include "src/graph/colocation.h"
#include "src/graph/graph_def/attr_proto.h"
#include "src/graph/graph_def/graph_def.h"
#include "src/graph/graph_def/graph_def_parse.h"
#include "src/graph/graph_def/unknown_ops.h"

namespace dfrun {
namespace {

// This producer version means that every attr is written and that loops use frames.
constexpr int kProducer = 27;

void ExportColocation(const Node& node, proto::NodeDef& out) {
  if (node.colocate_with.empty()) return;
  proto::AttrValue& classes = (*out.mutable_attr())[std::string(kClassAttr)];
  proto::AttrValue merged;
  merged.mutable_list()->add_s(ColocationEntry(node.colocate_with));
  merged.mutable_list()->MergeFrom(classes.list());
  classes = std::move(merged);
}

void ExportNode(const Graph& graph, const Node& node, proto::NodeDef& out) {
  out.set_name(node.name);
  out.set_op(OpNameOf(node));
  for (Output o : node.inputs) {
    DF_CHECK(o.valid());
    out.add_input(OutputName(graph, o));
  }
  for (NodeId id : node.control_inputs) out.add_input("^" + graph.node(id).name);
  out.set_device(node.device);
  if (IsUnknown(node)) return;  // the extras have its attrs
  for (const auto& [name, value] : node.attrs) AttrToProto(value, (*out.mutable_attr())[name]);
  ExportColocation(node, out);
}

void ExportTo(const Graph& graph, proto::GraphDef& def) {
  const GraphDefExtras* extras = graph.extras().get();
  if (extras != nullptr) {
    DF_CHECK(def.MergeFromString(extras->graph));
  } else {
    def.mutable_versions()->set_producer(kProducer);
  }
  def.mutable_node()->Reserve(graph.num_nodes());
  for (const Node& node : graph.nodes()) {
    proto::NodeDef& out = *def.add_node();
    if (extras != nullptr) {
      if (auto it = extras->nodes.find(node.name); it != extras->nodes.end()) DF_CHECK(out.MergeFromString(it->second));
    }
    ExportNode(graph, node, out);
  }
}

}  // namespace

std::string ExportGraphDef(const Graph& graph, GraphDefFormat format) {
  google::protobuf::Arena arena;
  auto& def = *google::protobuf::Arena::CreateMessage<proto::GraphDef>(&arena);
  ExportTo(graph, def);
  return format == GraphDefFormat::kText ? PrintGraphDef(def) : SerializeDeterministically(def);
}

}  // namespace dfrun
