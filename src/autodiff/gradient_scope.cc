#include "src/autodiff/gradient_scope.h"

#include <algorithm>

namespace dfrun {
namespace {

Tensor IntScalar(int32_t value) {
  return Tensor::Scalar<int32_t>(value);
}

Tensor IntVector(std::span<const int64_t> values) {
  return Tensor::Vector<int32_t>(std::vector<int32_t>(values.begin(), values.end()));
}

// A node that is dead where the Enter is. A control edge from a Switch would not tell on which side it is.
Result<NodeId> LivesWith(Graph& graph, const Node& enter, NodeSpec spec) {
  const Output source = enter.inputs[0];
  if (graph.node(source.node).op->traits.control_flow != ControlFlowKind::kSwitch) return source.node;
  spec.op = "Identity";
  spec.name = graph.UniqueName(spec.name);
  spec.inputs = {source};
  return graph.AddNode(std::move(spec));
}

bool IsSwapped(const Graph& graph, const Frame& frame) {
  return std::any_of(frame.enters.begin(), frame.enters.end(), [&](NodeId enter) {
    const AttrValue* swaps = graph.node(enter).attrs.Find("_swap_memory");
    return swaps != nullptr && swaps->get<bool>() != nullptr && *swaps->get<bool>();
  });
}

// The node's value is its first input's, in the same frame.
bool PassesOnHere(const Graph& graph, const Node& node) {
  if (node.op->traits.passthrough != Passthrough::kFirstInput || graph.is_ref(node.inputs[0])) return false;
  const ControlFlowKind kind = node.op->traits.control_flow;
  return kind == ControlFlowKind::kNone || (kind == ControlFlowKind::kSwitch && !IsLoopSwitch(graph, node));
}

// The only values that loops may read without an Enter.
bool IsConstant(const Node& node) {
  return node.op->name == "Const" && node.control_inputs.empty();
}

}  // namespace

GradientScope::GradientScope(Graph& graph, ForwardGraph& forward, Options options)
    : shared_(new Shared{graph, forward, std::move(options), this, {}}), graph_(graph) {}

GradientScope::GradientScope(GradientScope& parent, int32_t frame, const ForwardLoop& loop, std::vector<NodeId> after)
    : shared_(parent.shared_),
      graph_(parent.graph_),
      parent_(&parent),
      frame_(frame),
      loop_(&loop),
      prefix_(GradientPrefix(shared_->options.name, graph_.node(loop.condition).name)),
      swap_memory_(shared_->options.swap_memory || IsSwapped(graph_, shared_->forward.frames.frames[frame])),
      home_node_(graph_.node(loop.condition).name),
      frame_name_(StrCat(shared_->options.name, "/", shared_->forward.frames.frames[frame].name)),
      after_(std::move(after)) {
  status_ = CountForward();
  if (status_.ok()) status_ = CountBackward();
}

GradientScope::GradientSite GradientScope::SiteOf(Output value) const {
  if (IsConstant(graph_.node(value.node))) return {};
  const ForwardGraph& forward = shared_->forward;
  if (value.node < forward.num_nodes) {
    return {nullptr, std::max(forward.frames.of_outputs[value.node], 0), forward.branches.Of(value)};
  }
  const auto it = shared_->homes.find(value.node);
  return it == shared_->homes.end() ? GradientSite{shared_->root} : it->second;
}

NodeSpec GradientScope::Spec(std::string_view op, std::vector<Output> inputs, AttrMap attrs) const {
  NodeSpec spec;
  spec.name = StrCat(prefix_, op);
  spec.op = op;
  spec.inputs = std::move(inputs);
  spec.attrs = std::move(attrs);
  spec.colocate_with = home_node_;
  return spec;
}

Result<Output> GradientScope::AddAt(const GradientSite& home, NodeSpec spec) {
  spec.name = graph_.UniqueName(spec.name);
  DF_ASSIGN(const NodeId id, graph_.AddNode(std::move(spec)));
  shared_->homes[id] = home;
  return Output{id, 0};
}

Result<Output> GradientScope::Add(NodeSpec spec) {
  const bool reads_constants =
      spec.control_inputs.empty() &&
      std::all_of(spec.inputs.begin(), spec.inputs.end(), [&](Output input) { return SiteOf(input).is_anywhere(); });
  if (is_root() || !reads_constants || spec.op == "Const") return AddAt({this}, std::move(spec));
  const OpDef* op = graph_.ops().Find(spec.op);
  const bool can_leave = op != nullptr && !op->is_stateful && spec.op != "Switch";
  if (can_leave) return AddAt({shared_->root}, std::move(spec));
  spec.control_inputs = {counter_.begin};
  return AddAt({this}, std::move(spec));
}

Result<NodeId> GradientScope::AddNode(NodeSpec spec) {
  if (is_root()) return graph_.AddNode(std::move(spec));
  DF_ASSIGN(const Output from_shape, FromShape(spec));
  if (from_shape.valid()) return from_shape.node;
  for (Output& input : spec.inputs) {
    DF_ASSIGN(input, Get(input));
  }
  DF_ASSIGN(const Output added, Add(std::move(spec)));
  return added.node;
}

Result<Output> GradientScope::Get(Output value) {
  const GradientSite home = SiteOf(value);
  if (home.is_anywhere() || home.scope == this) return value;
  if (home.forward_frame == frame_) return is_root() ? Result<Output>(value) : Saved(value, home);
  if (is_root()) {
    return Unimplemented(graph_.Describe(value.node), ": a gradient outside of its loop needs its value");
  }
  DF_ASSIGN(const Output outer, parent_->Get(value));
  if (SiteOf(outer).is_anywhere()) return outer;
  Output& entered = entered_[KeyOf(outer)];
  if (!entered.valid()) {
    DF_ASSIGN(entered, AddAt({this}, EnterSpec(frame_name_, outer, true)));
  }
  return entered;
}

Result<Output> GradientScope::Gate(Output value, const std::vector<Branches::PathCondition>& literals) {
  DF_ASSIGN(value, Get(value));
  for (const Branches::PathCondition& literal : literals) {
    DF_ASSIGN(const Output pred, Get(literal.pred));
    NodeSpec spec = Spec("Switch", {value, pred});
    if (is_root()) spec.name = StrCat(shared_->options.name, "/Switch");
    spec.colocate_with = graph_.node(literal.pred.node).name;
    DF_ASSIGN(const Output sides, Add(std::move(spec)));
    value = {sides.node, literal.value ? 1 : 0};
  }
  return value;
}

NodeSpec GradientScope::EnterSpec(const std::string& frame_name, Output value, bool is_constant) const {
  const Frame& frame = shared_->forward.frames.frames[frame_];
  NodeSpec spec = Spec(
      "Enter", {value},
      {{"frame_name", frame_name}, {"is_constant", is_constant}, {"parallel_iterations", frame.parallel_iterations}});
  if (gate_ >= 0) spec.control_inputs = {gate_};
  if (swap_memory_) spec.attrs.Set("_swap_memory", true);
  return spec;
}

Result<Output> GradientScope::AddMerge(const GradientSite& home, Output enter) {
  return AddAt(home, Spec("Merge", {enter, Output()}, {{"T", graph_.dtype(enter)}, {"N", 2}}));
}

// A further variable of the forward loop.
Status GradientScope::CountForward() {
  DF_CHECK(parent_ != nullptr);
  const ForwardGraph& forward = shared_->forward;
  const Frame& frame = forward.frames.frames[frame_];
  const auto is_whole = [&](NodeId enter) {
    return forward.branches.OfNode(enter) == forward.branches.OfLoop(frame_) && graph_.node(enter).op->name == "Enter";
  };
  auto it = std::find_if(frame.enters.begin(), frame.enters.end(), is_whole);
  const Node& model = graph_.node(it == frame.enters.end() ? frame.enters[0] : *it);
  const GradientSite inside{nullptr, frame_, 0};
  const GradientSite outside{nullptr, frame.parent, forward.branches.OfLoop(frame_)};

  DF_ASSIGN(const Output zero, AddAt({}, Spec("Const", {}, {{"dtype", DType::kInt32}, {"value", IntScalar(0)}})));
  NodeSpec enter_spec = EnterSpec(frame.name, zero, false);
  forward_gates_ = model.control_inputs;
  DF_ASSIGN(const NodeId alive, LivesWith(graph_, model, Spec("Identity", {})));
  forward_gates_.push_back(alive);
  enter_spec.control_inputs = forward_gates_;
  if (!parent_->is_root()) enter_spec.control_inputs.push_back(parent_->forward_counter_.begin);
  DF_ASSIGN(const Output enter, AddAt(inside, std::move(enter_spec)));
  DF_ASSIGN(const Output merge, AddMerge(inside, enter));
  graph_.mutable_node(merge.node).output_shapes[0] = PartialShape::Scalar();
  DF_ASSIGN(const Output sides, AddAt(inside, Spec("Switch", {merge, {loop_->condition, 0}})));
  DF_ASSIGN(const Output begin, AddAt(inside, Spec("Identity", {{sides.node, 1}})));
  DF_ASSIGN(count_, AddAt(outside, Spec("Exit", {sides})));
  if (!parent_->is_root()) parent_->forward_counter_.ends.push_back(count_.node);
  forward_counter_.merge = merge.node;
  forward_counter_.begin = begin.node;
  return Status();
}

Status GradientScope::CountBackward() {
  DF_CHECK(parent_ != nullptr);
  DF_ASSIGN(const Output count, parent_->Get(count_));
  gate_ = count.node;
  const GradientSite here{this};
  NodeSpec enter_spec = EnterSpec(frame_name_, count, false);
  enter_spec.control_inputs.insert(enter_spec.control_inputs.end(), after_.begin(), after_.end());
  DF_ASSIGN(const Output enter, AddAt(here, std::move(enter_spec)));
  DF_ASSIGN(const Output merge, AddMerge(here, enter));
  graph_.mutable_node(merge.node).output_shapes[0] = PartialShape::Scalar();
  DF_ASSIGN(const Output zero, AddAt({}, Spec("Const", {}, {{"dtype", DType::kInt32}, {"value", IntScalar(0)}})));
  DF_ASSIGN(const Output goes_on, AddAt(here, Spec("Greater", {merge, zero})));
  DF_ASSIGN(condition_, AddAt(here, Spec("LoopCond", {goes_on})));
  DF_ASSIGN(const Output sides, AddAt(here, Spec("Switch", {merge, condition_})));
  DF_ASSIGN(const Output begin, AddAt(here, Spec("Identity", {{sides.node, 1}})));
  counter_.merge = merge.node;
  counter_.begin = begin.node;
  counter_.last = sides;
  if (parent_->is_root()) return Status();
  DF_ASSIGN(const NodeId finished, Finished());
  parent_->counter_.ends.push_back(finished);
  return Status();
}

Result<NodeId> GradientScope::Finished() {
  if (finished_ >= 0) return finished_;
  DF_ASSIGN(const Output exit, AddAt({parent_}, Spec("Exit", {counter_.last})));
  finished_ = exit.node;
  return finished_;
}

Status GradientScope::Close() {
  DF_TRY(CloseCounter(forward_counter_, {nullptr, frame_, 0}, "AddV2"));
  return CloseCounter(counter_, {this}, "Sub");
}

// Closes a counter. It waits by a ControlTrigger, since the nodes of an untaken branch are dead.
Status GradientScope::CloseCounter(const Counter& counter, const GradientSite& home, std::string_view op) {
  DF_ASSIGN(const Output one, AddAt({}, Spec("Const", {}, {{"dtype", DType::kInt32}, {"value", IntScalar(1)}})));
  NodeSpec step = Spec(op, {{counter.begin, 0}, one});
  if (!counter.ends.empty()) {
    NodeSpec end = Spec("ControlTrigger", {});
    end.control_inputs = counter.ends;
    DF_ASSIGN(const Output trigger, AddAt(home, std::move(end)));
    step.control_inputs = {trigger.node};
  }
  DF_ASSIGN(const Output stepped, AddAt(home, std::move(step)));
  DF_ASSIGN(const Output next, AddAt(home, Spec("NextIteration", {stepped})));
  return graph_.SetInput(counter.merge, 1, next);
}

Result<GradientScope::Variable> GradientScope::AddVariable(Output initial, const PartialShape& shape) {
  DF_CHECK(parent_ != nullptr);
  const GradientSite here{this};
  DF_ASSIGN(const Output outer, parent_->Get(initial));
  DF_ASSIGN(const Output enter, AddAt(here, EnterSpec(frame_name_, outer, false)));
  DF_ASSIGN(const Output merge, AddMerge(here, enter));
  graph_.mutable_node(merge.node).output_shapes[0] = shape;
  DF_ASSIGN(const Output sides, AddAt(here, Spec("Switch", {merge, condition_})));
  DF_ASSIGN(const Output exit, AddAt({parent_}, Spec("Exit", {sides})));
  return Variable{{sides.node, 1}, exit, merge.node};
}

Status GradientScope::SetNext(const Variable& variable, Output next) {
  DF_ASSIGN(next, Get(next));
  NodeSpec spec = Spec("NextIteration", {next});
  spec.control_inputs = {counter_.begin};  // a constant `next` ends with the loop, too
  DF_ASSIGN(const Output handed_on, AddAt({this}, std::move(spec)));
  return graph_.SetInput(variable.merge, 1, handed_on);
}

Result<Output> GradientScope::FinalValue(const LoopVariable& variable) {
  if (!variable.exits.empty()) return Output{variable.exits[0], 0};
  if (variable.leaves < 0) {
    return Unimplemented(graph_.Describe(variable.merge), ": the gradient of a loop variable without a Switch");
  }
  const ForwardGraph& forward = shared_->forward;
  return AddAt({nullptr, forward.frames.frames[frame_].parent, forward.branches.OfLoop(frame_)},
               Spec("Exit", {{variable.leaves, 0}}));
}

Result<Output> GradientScope::Saved(Output value, const GradientSite& home) {
  const auto it = saved_.find(KeyOf(value));
  if (it != saved_.end()) return it->second;
  const Node& node = graph_.node(value.node);
  const OpTraits& traits = node.op->traits;
  const bool is_constant_enter = traits.control_flow == ControlFlowKind::kEnter && *node.attrs.Get<bool>("is_constant");
  Output saved;
  if (node.op->name == "Const") {
    DF_ASSIGN(const Output copy, Add(Spec("Const", {}, node.attrs)));
    DF_ASSIGN(saved, Gate(copy, shared_->forward.branches.literals(home.branch)));
  } else if (PassesOnHere(graph_, node) || is_constant_enter) {
    const Output source = node.inputs[0];
    DF_ASSIGN(const Output copy, Get(source));
    const BranchId known = is_constant_enter ? 0 : SiteOf(source).branch;
    DF_ASSIGN(saved, Gate(copy, shared_->forward.branches.Difference(known, home.branch)));
  } else {
    DF_ASSIGN(saved, PushAndPop(value, home));
  }
  saved_[KeyOf(value)] = saved;
  return saved;
}

Result<Output> GradientScope::EnteredForward(Output value) {
  if (is_root()) return value;
  DF_ASSIGN(const Output outer, parent_->EnteredForward(value));
  NodeSpec enter = EnterSpec(shared_->forward.frames.frames[frame_].name, outer, true);
  enter.control_inputs = forward_gates_;
  return AddAt({nullptr, frame_, 0}, std::move(enter));
}

NodeSpec GradientScope::StackSpec(std::string_view op, std::vector<Output> inputs, AttrMap attrs, NodeId source) const {
  NodeSpec spec = Spec(op, std::move(inputs), std::move(attrs));
  spec.colocate_with = graph_.node(source).name;
  return spec;
}

Result<Output> GradientScope::NewStack(DType dtype, NodeId source) {
  const AttrMap no_bound = {{"dtype", DType::kInt32}, {"value", IntScalar(-1)}};
  DF_ASSIGN(const Output unbounded, AddAt({}, StackSpec("Const", {}, no_bound, source)));
  const AttrMap attrs = {{"elem_type", dtype}, {"stack_name", graph_.node(source).name}};
  return AddAt({shared_->root}, StackSpec("StackV2", {unbounded}, attrs, source));
}

Result<Output> GradientScope::AddPush(const GradientSite& home, Counter& counter, Output stack, Output value,
                                      NodeId source) {
  NodeSpec spec = StackSpec("StackPushV2", {stack, value}, {{"swap_memory", swap_memory_}}, source);
  spec.control_inputs = {counter.begin};
  DF_ASSIGN(const Output push, AddAt(home, std::move(spec)));
  counter.ends.push_back(push.node);
  return push;
}

Result<Output> GradientScope::Push(Output value, const std::vector<Branches::PathCondition>& literals, NodeId source) {
  DF_ASSIGN(value, Get(value));
  DF_ASSIGN(const Output stack, NewStack(graph_.dtype(value), source));
  DF_ASSIGN(const Output handle, Gate(stack, literals));
  DF_TRY(AddPush({this}, counter_, handle, value, source).status());
  return stack;
}

Result<Output> GradientScope::Pop(Output stack, const PartialShape& shape, DType dtype,
                                  const std::vector<Branches::PathCondition>& literals, NodeId source) {
  DF_ASSIGN(const Output handle, Gate(stack, literals));
  NodeSpec spec = StackSpec("StackPopV2", {handle}, {{"elem_type", dtype}, {"_elem_shape", shape}}, source);
  spec.control_inputs = {counter_.begin};
  DF_ASSIGN(const Output pop, AddAt({this}, std::move(spec)));
  counter_.ends.push_back(pop.node);
  return pop;
}

Result<Output> GradientScope::PushAndPop(Output value, const GradientSite& home) {
  const DType dtype = graph_.dtype(value);
  DF_ASSIGN(const Output stack, NewStack(dtype, value.node));
  DF_ASSIGN(const Output forward_handle, EnteredForward(stack));
  DF_TRY(AddPush(home, forward_counter_, forward_handle, value, value.node).status());
  return Pop(stack, graph_.shape(value), dtype, shared_->forward.branches.literals(home.branch), value.node);
}

Result<Output> GradientScope::FromShape(const NodeSpec& spec) {
  const bool is_filled = spec.op == "ZerosLike" || spec.op == "OnesLike";
  if (!is_filled && spec.op != "Shape" && spec.op != "Size" && spec.op != "Rank") return Output();
  const Output value = spec.inputs[0];
  const GradientSite home = SiteOf(value);
  const DType dtype = graph_.dtype(value);
  if (home.forward_frame <= 0 || (is_filled && !IsFloating(dtype) && !IsComplex(dtype))) return Output();
  DF_ASSIGN(Output result, FromStaticShape(spec));
  if (!result.valid()) return FromSavedShape(spec, home);
  const std::vector<Branches::PathCondition> literals = home.forward_frame == frame_
                                                            ? shared_->forward.branches.literals(home.branch)
                                                            : std::vector<Branches::PathCondition>();
  if (literals.empty()) return result;
  DF_ASSIGN(result, Gate(result, literals));
  return Add(Spec("Identity", {result}));
}

Result<Output> GradientScope::FromStaticShape(const NodeSpec& spec) {
  const PartialShape& shape = graph_.shape(spec.inputs[0]);
  NodeAdder adder(graph_, spec.name + "/", spec.colocate_with);
  const AttrValue* out_type = spec.attrs.Find("out_type");
  const bool is_wide = out_type != nullptr && *out_type->get<DType>() == DType::kInt64;
  Output result;
  if (spec.op == "Rank" && shape.known_rank()) {
    result = adder.Const(IntScalar(shape.rank()));
  } else if (!shape.IsFullyDefined()) {
    return Output();
  } else if (spec.op == "Shape") {
    result = adder.Const(is_wide ? Tensor::Vector<int64_t>(shape.dims()) : IntVector(shape.dims()));
  } else if (spec.op == "Size") {
    const int64_t size = shape.num_elements();
    result = adder.Const(is_wide ? Tensor::Scalar<int64_t>(size) : IntScalar(static_cast<int32_t>(size)));
  } else {
    result = adder.Scalar(graph_.dtype(spec.inputs[0]), spec.op == "OnesLike" ? 1 : 0);
    if (shape.rank() > 0) result = adder.Add("Fill", {adder.Const(Tensor::Vector<int64_t>(shape.dims())), result});
  }
  DF_TRY(adder.status());
  return Get(result);
}

Result<Output> GradientScope::FromSavedShape(const NodeSpec& spec, const GradientSite& home) {
  NodeSpec forward = Spec(spec.op, spec.inputs, spec.attrs);
  forward.colocate_with = graph_.node(spec.inputs[0].node).name;
  const bool is_filled = spec.op == "ZerosLike" || spec.op == "OnesLike";
  if (is_filled) {
    forward.op = "Shape";
    forward.attrs = {};
  }
  DF_ASSIGN(const Output measured, AddAt(home, std::move(forward)));
  DF_ASSIGN(const Output shape, Get(measured));
  if (!is_filled) return shape;
  NodeAdder adder(graph_, spec.name + "/", spec.colocate_with);
  const Output element = adder.Scalar(graph_.dtype(spec.inputs[0]), spec.op == "OnesLike" ? 1 : 0);
  DF_TRY(adder.status());
  DF_ASSIGN(const Output filled, Add(Spec("Fill", {shape, element})));
  graph_.mutable_node(filled.node).output_shapes[0] = graph_.shape(spec.inputs[0]);
  return filled;
}

}  // namespace dfrun
