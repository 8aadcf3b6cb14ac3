// Brings values from outside into branches and loops, by the primitives of control flow.
#include <algorithm>

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

void Lowering::BeginFlow(const Expr& call) {
  if (!flow_.empty()) return;
  first_of_flow_ = graph_.num_nodes();
  may_update_ = update_finder_.MayUpdate(call);
  ended_.clear();
  variable_reads_.clear();
  updated_.clear();
}

void Lowering::PopFlow() {
  FlowLevel& level = flow_.back();
  ended_.push_back({.id = level.id,
                    .around = flow_.size() > 1 ? flow_[flow_.size() - 2].id : 0,
                    .loop_cond = level.loop_cond,
                    .results = std::move(level.results)});
  flow_.pop_back();
}

void Lowering::EndFlow(const std::vector<Output>& ends, const std::vector<int32_t>& levels) {
  for (EndedFlow& flow : ended_) {
    if (std::find(levels.begin(), levels.end(), flow.id) == levels.end()) continue;
    for (const Output end : ends) flow.ends.push_back(end.node);
  }
  if (flow_.empty()) OrderUpdates();
}

void Lowering::EnterFrame(const ExprContext& context, CallFrame& frame) const {
  const CallFrame& around = context.frame;
  const NodeOptions& own = context.own;
  frame.scope = around.scope;
  frame.params = around.params;
  frame.options.device = own.device.empty() ? around.options.device : own.device;
  frame.options.colocate_with = own.colocate_with.empty() ? around.options.colocate_with : own.colocate_with;
  frame.options.compress = own.compress || around.options.compress;
  frame.around = &around;
  frame.function = around.function;
  frame.caller = around.caller;
  frame.call_location = around.call_location;
  frame.as_for_training = around.as_for_training;
}

std::vector<NodeId> Lowering::ControlsOf(const ExprContext& context) {
  std::vector<NodeId> controls = context.own.controls;
  const std::vector<NodeId>& around = context.frame.options.controls;
  controls.insert(controls.end(), around.begin(), around.end());
  return controls;
}

std::optional<Output> Lowering::Capture(Output value, const Reading& how) {
  return CaptureAt(value, depth(), how);
}

std::optional<Output> Lowering::CaptureAt(Output value, int at, const Reading& how) {
  const std::optional<int> home = DepthOf(value.node, how.location);
  if (!home) return {};
  if (*home >= at || IsFreeConstant(value.node)) return value;
  const std::optional<Output> outer = CaptureAt(value, at - 1, how);
  if (!outer) return {};
  const bool is_read = graph_.is_ref(*outer) && !how.by_ref;
  std::optional<std::vector<NodeId>> controls =
      ControlsAt(is_read ? how.controls : std::vector<NodeId>(), at - 1, how.location);
  if (!controls) return {};
  const CaptureKey key{*outer, graph_.is_ref(*outer) && how.by_ref, *controls};
  FlowLevel& level = flow_[static_cast<size_t>(at)];
  if (const auto it = level.captured.find(key); it != level.captured.end()) return it->second;
  const std::optional<Output> source = is_read ? ReadBefore(*outer, at, *std::move(controls), how.location) : outer;
  if (!source) return {};
  NodeSpec spec;
  spec.op = StrCat(graph_.is_ref(*source) ? "Ref" : "", level.is_loop() ? "Enter" : "Switch");
  spec.name = StrCat(level.scope, "/", spec.op);
  spec.inputs = {*source};
  if (level.is_loop()) {
    spec.attrs = {
        {"frame_name", level.frame}, {"is_constant", true}, {"parallel_iterations", level.loop.parallel_iterations}};
  } else {
    spec.inputs.push_back(level.pred);
  }
  std::optional<Output> captured = AddFlowNode(std::move(spec), at, how.location);
  if (!captured) return {};
  if (!level.is_loop()) captured->port = level.side;
  if (const Output variable = VariableOf(*source); variable.valid()) variable_reads_[captured->node] = variable;
  return level.captured[key] = *captured;
}

// Reads a variable before the loop begins, or at the conditional, so that its update can wait for the read.
std::optional<Output> Lowering::ReadBefore(Output variable, int at, std::vector<NodeId> controls,
                                           SourceLocation location) {
  const FlowLevel& level = flow_[static_cast<size_t>(at)];
  NodeSpec read;
  read.op = "Identity";
  read.name = StrCat(level.scope, "/", graph_.node(variable.node).name);
  read.inputs = {variable};
  read.control_inputs = std::move(controls);
  read.control_inputs.insert(read.control_inputs.end(), level.controls.begin(), level.controls.end());
  if (at > 0) read.control_inputs.push_back(flow_[static_cast<size_t>(at) - 1].pivot);
  const std::optional<Output> value = AddFlowNode(std::move(read), at - 1, location);
  if (value) variable_reads_[value->node] = VariableOf(variable);
  return value;
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
std::optional<NodeId> Lowering::ControlAt(NodeId control, int at, SourceLocation location) {
  const std::optional<int> home = DepthOf(control, location);
  if (!home) return {};
  bool crosses_loop = false;
  for (int i = *home + 1; i <= at; ++i) crosses_loop = crosses_loop || flow_[static_cast<size_t>(i)].is_loop();
  if (!crosses_loop) return control;
  if (graph_.node(control).num_outputs() == 0) {
    diagnostics_.Error(location, "'", graph_.node(control).name,
                       "' gives no value, and control dependencies come into a While with values only; let the "
                       "While itself depend on it");
    return {};
  }
  const std::optional<Output> captured = CaptureAt({control, 0}, at, {.location = location});
  if (!captured) return {};
  return captured->node;
}

std::optional<std::vector<NodeId>> Lowering::ControlsAt(const std::vector<NodeId>& controls, int at,
                                                        SourceLocation location) {
  std::vector<NodeId> seen;
  for (const NodeId control : controls) {
    const std::optional<int> home = DepthOf(control, location);
    if (home && *home > at) continue;
    const std::optional<NodeId> found = home ? ControlAt(control, at, location) : std::nullopt;
    if (!found) return {};
    seen.push_back(*found);
  }
  std::sort(seen.begin(), seen.end());
  return seen;
}

bool Lowering::CaptureInputs(const OpDef* op, NodeSpec& spec, SourceLocation location) {
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    const Output variable = VariableOf(spec.inputs[i]);
    if (!flow_.empty() && variable.valid() && op != nullptr && TakesVariable(*op, i)) MarkUpdated(variable);
    const std::optional<Output> captured =
        Capture(spec.inputs[i], {.by_ref = IsUpdated(variable), .controls = spec.control_inputs, .location = location});
    if (!captured) return false;
    spec.inputs[i] = *captured;
  }
  return true;
}

bool Lowering::EnterFlow(NodeSpec& spec, SourceLocation location) {
  const OpDef* op = graph_.ops().Find(spec.op);
  if (!CaptureInputs(op, spec, location)) return false;
  std::optional<std::vector<NodeId>> controls = ControlsAt(spec.control_inputs, depth(), location);
  if (!controls) return false;
  spec.control_inputs = *std::move(controls);
  if (flow_.empty() || spec.op == "Const") return true;
  if (!ReadAtUse(op, spec, location)) return false;
  const bool reads_level =
      std::any_of(spec.inputs.begin(), spec.inputs.end(), [this](Output o) { return !IsFreeConstant(o.node); });
  const bool has_effect = op != nullptr && (op->is_stateful || TakesVariables(*op));
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
