#include "src/graph/handle_maker.h"

#include <algorithm>
#include <array>

#include "src/graph/handed_on.h"

namespace dfrun {
namespace {

// Ops whose output 0 is a list or array of elements like those of their input 0.
constexpr std::array<std::string_view, 7> kChangeList = {"TensorArrayGradV3",  "TensorListSetItem",
                                                         "TensorListPushBack", "TensorListPopBack",
                                                         "TensorListResize",   "TensorListScatterIntoExistingList",
                                                         "ZerosLike"};

bool ChangesList(const Node& node) {
  return std::find(kChangeList.begin(), kChangeList.end(), node.op->name) != kChangeList.end();
}

// Which attr of the op says what dtype is behind the handle that is its first input; empty where none does. An input of
// any dtype that happens to be a handle is none.
std::string_view DTypeAttr(const OpDef& op) {
  const DType kind = op.inputs[0].dtype;
  if (kind == DType::kVariant) return op.FindAttr("element_dtype") == nullptr ? "" : "element_dtype";
  if (kind != DType::kResource) return "";
  if (op.FindAttr("dtype") != nullptr) return "dtype";
  return op.name.starts_with("Resource") && op.FindAttr("T") != nullptr ? "T" : "";
}

// Which attr of the op that made a variable or a list is its dtype; empty of other ops.
std::string_view MadeDTypeAttr(const OpDef& op) {
  if (op.name == "VarHandleOp") return "dtype";
  const bool makes_list = op.outputs[0].dtype == DType::kVariant && op.FindAttr("element_dtype") != nullptr;
  return makes_list ? "element_dtype" : "";
}

}  // namespace

Output HandleMaker(const Graph& graph, Output handle) {
  for (int hops = 0; handle.valid() && hops < graph.num_nodes(); ++hops) {
    const Output before = handle.port == 0 && ChangesList(graph.node(handle.node)) ? graph.node(handle.node).inputs[0]
                                                                                   : HandedOnBy(graph, handle);
    if (!before.valid()) break;
    handle = before;
  }
  return handle;
}

Status CheckHandleDType(const Graph& graph, const Node& node) {
  if (node.inputs.empty() || !node.inputs[0].valid()) return Status();
  const std::string_view wanted_attr = DTypeAttr(*node.op);
  if (wanted_attr.empty() || graph.IsBackEdge(node, 0)) return Status();
  const Output made = HandleMaker(graph, node.inputs[0]);
  const Node& maker = graph.node(made.node);
  const std::string_view made_attr = made.port == 0 ? MadeDTypeAttr(*maker.op) : "";
  if (made_attr.empty()) return Status();
  DF_ASSIGN(const DType wanted, node.attrs.Get<DType>(wanted_attr));
  DF_ASSIGN(const DType has, maker.attrs.Get<DType>(made_attr));
  if (wanted == has) return Status();
  return InvalidArgument("attr '", wanted_attr, "' is ", wanted, ", but '", maker.name, "' (op ", maker.op->name,
                         ") holds ", has);
}

}  // namespace dfrun
