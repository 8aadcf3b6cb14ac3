#include "src/graph/object_handle.h"

#include <utility>

namespace dfrun {

bool NamesObject(const Node& node) {
  if (node.num_outputs() == 0 || node.num_inputs() != 0) return false;
  const TypedArg& output = node.output_types[0];
  return (output.is_ref || output.dtype == DType::kResource) && node.op->FindAttr("container") != nullptr &&
         node.op->FindAttr("shared_name") != nullptr;
}

const std::string& NameOfObject(const Node& node) {
  const AttrValue* const shared = node.attrs.Find("shared_name");
  const std::string* const name = shared == nullptr ? nullptr : shared->get<std::string>();
  return name == nullptr || name->empty() ? node.name : *name;
}

Result<Output> AddHandleOf(Graph& graph, NodeId node) {
  const Node& maker = graph.node(node);
  NodeSpec spec{graph.UniqueName(maker.name + "/handle"),
                maker.op->name,
                {},
                {},
                maker.attrs,
                maker.device,
                maker.name,
                maker.location};
  spec.attrs.Set("shared_name", NameOfObject(maker));
  DF_ASSIGN(const NodeId added, graph.AddNode(std::move(spec)));
  return Output{added, 0};
}

}  // namespace dfrun
