// Brings values from outside into branches and loops, by the primitives of control flow.
#include "src/spec/lowering.h"

namespace dfrun {

bool Lowering::IsFreeConstant(NodeId node) const {
  return graph_.node(node).op->name == "Const" && graph_.node(node).control_inputs.empty();
}

std::optional<int> Lowering::DepthOf(NodeId node, SourceLocation location) {
  const auto it = flow_of_.find(node);
  if (it == flow_of_.end()) return -1;
  for (int i = depth(); i >= 0; --i) {
    if (flow_[static_cast<size_t>(i)].id == it->second) return i;
  }
  diagnostics_.Error(location, "'", graph_.node(node).name,
                     "' is within a Cond or a While, whose results alone can be used outside");
  return {};
}

std::optional<Output> Lowering::Capture(Output value, SourceLocation location) {
  return CaptureAt(value, depth(), location);
}

std::optional<Output> Lowering::CaptureAt(Output value, int at, SourceLocation location) {
  const std::optional<int> home = DepthOf(value.node, location);
  if (!home) return {};
  if (*home >= at || IsFreeConstant(value.node)) return value;
  const std::optional<Output> outer = CaptureAt(value, at - 1, location);
  if (!outer) return {};
  FlowLevel& level = flow_[static_cast<size_t>(at)];
  const std::pair<NodeId, int32_t> key{outer->node, outer->port};
  if (const auto it = level.captured.find(key); it != level.captured.end()) return it->second;
  NodeSpec spec;
  spec.op = level.is_loop() ? "Enter" : "Switch";
  spec.name = StrCat(level.scope, "/", spec.op);
  spec.inputs = {*outer};
  if (graph_.is_ref(*outer)) {
    // A variable is read before the loop begins, or at the conditional, so that its update can wait for the read.
    NodeSpec read;
    read.op = "Identity";
    read.name = StrCat(level.scope, "/", graph_.node(outer->node).name);
    read.inputs = {*outer};
    const std::optional<Output> value = AddFlowNode(std::move(read), at - 1, location);
    if (!value) return {};
    spec.inputs = {*value};
  }
  if (level.is_loop()) {
    spec.attrs = {
        {"frame_name", level.frame}, {"is_constant", true}, {"parallel_iterations", level.loop.parallel_iterations}};
  } else {
    spec.inputs.push_back(level.pred);
  }
  std::optional<Output> captured = AddFlowNode(std::move(spec), at, location);
  if (!captured) return {};
  if (!level.is_loop()) captured->port = level.side;
  flow_[static_cast<size_t>(at)].captured[key] = *captured;
  return captured;
}

std::optional<Output> Lowering::AddFlowNode(NodeSpec spec, int at, SourceLocation location) {
  spec.name = graph_.UniqueName(spec.name);
  Result<NodeId> id = graph_.AddNode(std::move(spec));
  if (!id.ok()) {
    diagnostics_.ErrorOfCall(location, id.status().message());
    return {};
  }
  location.call = call_;
  graph_.mutable_node(*id).location = location;
  if (at >= 0) flow_of_[*id] = flow_[static_cast<size_t>(at)].id;
  return Output{*id, 0};
}

// A control edge may lead into a branch as it is; into a loop only an Enter may lead.
bool Lowering::EnterFlowByControl(NodeSpec& spec, SourceLocation location) {
  for (NodeId& control : spec.control_inputs) {
    const std::optional<int> home = DepthOf(control, location);
    if (!home) return false;
    bool crosses_loop = false;
    for (int i = *home + 1; i <= depth(); ++i) crosses_loop = crosses_loop || flow_[static_cast<size_t>(i)].is_loop();
    if (!crosses_loop) continue;
    if (graph_.node(control).num_outputs() == 0) {
      diagnostics_.Error(location, "'", graph_.node(control).name,
                         "' gives no value, and control dependencies come into a While with values only; let the "
                         "While itself depend on it");
      return false;
    }
    const std::optional<Output> captured = Capture({control, 0}, location);
    if (!captured) return false;
    control = captured->node;
  }
  return true;
}

bool Lowering::EnterFlow(NodeSpec& spec, SourceLocation location) {
  bool reads_level = false;
  for (Output& input : spec.inputs) {
    const std::optional<Output> captured = Capture(input, location);
    if (!captured) return false;
    input = *captured;
    reads_level = reads_level || !IsFreeConstant(input.node);
  }
  if (!EnterFlowByControl(spec, location)) return false;
  if (flow_.empty() || spec.op == "Const") return true;
  const OpDef* op = graph_.ops().Find(spec.op);
  const bool has_effect = op != nullptr && op->is_stateful;
  if (!reads_level || has_effect) spec.control_inputs.push_back(flow_.back().pivot);
  return true;
}

bool Lowering::CheckPredicate(Output pred, std::string_view what, SourceLocation location) {
  const PartialShape& shape = graph_.shape(pred);
  if (graph_.dtype(pred) == DType::kBool && (!shape.known_rank() || shape.rank() == 0)) return true;
  diagnostics_.Error(location, "the condition of a ", what, " must be a bool scalar, but it is ", graph_.dtype(pred),
                     shape);
  return false;
}

}  // namespace dfrun
