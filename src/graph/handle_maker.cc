#include "src/graph/handle_maker.h"

#include "src/graph/passthrough.h"

namespace dfrun {
namespace {

// The attr of the op with the dtype of the object whose handle is its first input; empty if there is none. An input of
// any dtype that happens to be a handle does not count.
std::string_view DTypeAttr(const OpDef& op) {
  const DType kind = op.inputs[0].dtype;
  if (kind == DType::kVariant) return op.FindAttr("element_dtype") == nullptr ? "" : "element_dtype";
  if (kind != DType::kResource) return "";
  if (op.FindAttr("dtype") != nullptr) return "dtype";
  return op.name.starts_with("Resource") && op.FindAttr("T") != nullptr ? "T" : "";
}

// The attr with the dtype of the variable or list that the op makes; empty for other ops.
std::string_view MadeDTypeAttr(const OpDef& op) {
  if (op.name == "VarHandleOp") return "dtype";
  const bool makes_list = op.outputs[0].dtype == DType::kVariant && op.FindAttr("element_dtype") != nullptr;
  return makes_list ? "element_dtype" : "";
}

constexpr int kMaxLoopNesting = 16;  // nested loops that a list is followed through

Output Before(const Graph& graph, Output handle, int nesting);

// Returns true if the list that comes back to the Merge of a loop is made from the one that entered. A loop may replace
// its list by another one with other elements.
bool ComesRound(const Graph& graph, const Node& merge, int nesting) {
  if (nesting == kMaxLoopNesting) return false;
  for (int i = 1; i < merge.num_inputs(); ++i) {
    Output from = merge.inputs[i];
    for (int hops = 0; from.valid() && from.node != merge.id && hops < graph.num_nodes(); ++hops) {
      from = Before(graph, from, nesting + 1);
    }
    if (from.node != merge.id) return false;
  }
  return true;
}

// The handle from which this one is made; invalid if its node is the maker.
Output Before(const Graph& graph, Output handle, int nesting) {
  const Node& node = graph.node(handle.node);
  const HandleContent& content = node.op->traits.handle_content;
  if (handle.port == 0 && content.kind == HandleContent::Kind::kLike) {
    return node.inputs[static_cast<size_t>(content.input)];
  }
  const bool is_list =
      node.op->traits.control_flow == ControlFlowKind::kMerge && graph.dtype(handle) == DType::kVariant;
  return is_list && !ComesRound(graph, node, nesting) ? Output{-1, 0} : PassthroughInput(graph, handle);
}

}  // namespace

Output HandleMaker(const Graph& graph, Output handle) {
  for (int hops = 0; handle.valid() && hops < graph.num_nodes(); ++hops) {
    const Output before = Before(graph, handle, 0);
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
