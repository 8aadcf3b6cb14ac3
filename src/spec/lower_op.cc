// Lowers calls of ops: attrs, inputs, and constants that TensorFlow takes as inputs.
#include <algorithm>

#include "src/graph/wire_compression.h"
#include "src/spec/attr_value.h"
#include "src/spec/expr/dtype_hints.h"
#include "src/spec/lowering.h"
#include "src/spec/seed.h"

namespace dfrun {
namespace {

bool Allows(const AttrDef* def, DType dtype) {
  return def == nullptr || def->allowed_types.empty() ||
         std::find(def->allowed_types.begin(), def->allowed_types.end(), dtype) != def->allowed_types.end();
}

// Returns true for a Concat or ConcatV2 of one value, as of a family with one member. The ops take two values or more,
// so the result is the value itself.
bool JoinsOne(const OpDef& op, const OpArguments& arguments) {
  if (op.name != "Concat" && op.name != "ConcatV2") return false;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i].name == "values") return arguments.inputs[i].size() == 1;
  }
  return false;
}

// The first text constant among the inputs; null if there is none.
const std::string* FindText(const Graph& graph, const std::vector<Output>& inputs) {
  for (const Output input : inputs) {
    const Node& node = graph.node(input.node);
    if (node.op->name != "Const") continue;
    const AttrValue* const value = node.attrs.Find("value");
    const Tensor* const tensor = value == nullptr ? nullptr : value->get<Tensor>();
    if (tensor != nullptr && tensor->dtype() == DType::kString && tensor->num_elements() == 1)
      return tensor->data<std::string>();
  }
  return nullptr;
}

// "Cast(a, DstT=float32) / 255": a number takes the dtype of the other side.
std::string AsFractions(const Expr& quotient) {
  const auto cast = [](const Expr& side) { return StrCat("Cast(", side.source, ", DstT=float32)"); };
  const auto is_number = [](const Expr& side) { return side.is(Expr::Kind::kInt) || side.is(Expr::Kind::kUint); };
  const Expr& a = quotient.items[0];
  const Expr& b = quotient.items[1];
  return StrCat(is_number(a) ? std::string(a.source) : cast(a), " / ", is_number(b) ? std::string(b.source) : cast(b));
}

}  // namespace

// `/` of integers would leave the fraction out in silence.
bool Lowering::CheckQuotient(const Expr& call, const std::vector<Output>& inputs) {
  if (!call.is_operator || call.text != "Div" || !IsInteger(graph_.dtype(inputs[0]))) return true;
  const std::string_view a = call.items[0].source;
  const std::string_view b = call.items[1].source;
  diagnostics_.ErrorOfCall(call.location, "'", call.source, "' divides integers (", graph_.dtype(inputs[0]),
                           "), which `/` does not do: write ", AsFractions(call), " for the fraction, FloorDiv(", a,
                           ", ", b, ") for the quotient rounded down, or Div(", a, ", ", b,
                           ") for the one cut towards 0");
  return false;
}

Value Lowering::AllOutputs(NodeId id) const {
  Value value;
  const int n = graph_.node(id).num_outputs();
  value.outputs.reserve(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) value.outputs.push_back({id, i});
  return value;
}

std::optional<AttrMap> Lowering::ConvertAttrs(const ExprContext& context, const OpArguments& arguments) {
  const FoldCall fold_call = [&](const Expr& call) { return FoldCallOf(context, call); };
  AttrMap attrs;
  bool good = true;
  const auto convert = [&](bool tensors) {
    const AttrValue* dtype = attrs.Find("dtype");
    const DType* tensor_dtype = dtype == nullptr ? nullptr : dtype->get<DType>();
    for (const auto& [def, expr] : arguments.attrs) {
      if ((def->type == "tensor") != tensors) continue;
      std::optional<AttrValue> value =
          ToAttrValue(*def, *expr, tensor_dtype != nullptr ? *tensor_dtype : DType::kInvalid, fold_call, diagnostics_);
      good = good && value.has_value();
      if (value) attrs.Set(def->name, *std::move(value));
    }
  };
  convert(false);
  if (good) convert(true);
  if (!good) return {};
  return attrs;
}

void Lowering::SetSeeds(const OpDef& op, NodeSpec& spec) const {
  if (!op.is_stateful || op.FindAttr("seed") == nullptr || op.FindAttr("seed2") == nullptr) return;
  if (spec.attrs.Has("seed") || spec.attrs.Has("seed2")) return;
  const OpSeeds seeds = SeedsOf(in_.seed, spec.name);
  spec.attrs.Set("seed", seeds.seed);
  spec.attrs.Set("seed2", seeds.seed2);
}

// Suggests inputs in place of those that an op does not take. In a function, the call's argument is named, since the
// caller can change that.
std::string Lowering::AboutInputs(const CallFrame& frame, const OpDef& op, const std::vector<Output>& inputs) const {
  if (const std::string* const text = FindText(graph_, inputs))
    return StrCat("; '", *text, "' in quotes is a text: a node is written without them");
  const std::optional<WantedCast> cast = FindWantedCast(graph_, op, inputs);
  if (!cast) return "";
  Output value = cast->value;
  if (frame.function != nullptr) {
    for (const Yaml& arg : frame.function->args) {
      const auto given = frame.values.find(arg.text());
      if (given == frame.values.end() || given->second.outputs.empty()) continue;
      const Output output = given->second.outputs[0];
      if (graph_.dtype(output) == graph_.dtype(value)) value = output;
    }
  }
  return StrCat("; write Cast(", OutputName(graph_, value), ", DstT=", cast->to, ")");
}

std::optional<NodeId> Lowering::Add(const ExprContext& context, NodeSpec spec, SourceLocation location) {
  if (graph_.num_nodes() >= kMaxGraphNodes) {
    diagnostics_.Error(location, "the spec makes more than ", kMaxGraphNodes, " nodes");
    return {};
  }
  const NodeOptions& outer = context.frame.options;
  const bool is_constant = spec.op == "Const" || spec.op == "VariableV2";
  spec.device = !context.own.device.empty() ? context.own.device : outer.device;
  if (outer.compress || (context.own.compress && spec.name == context.scope)) MarkCompressed(spec.attrs);
  if (!is_constant) {
    spec.colocate_with = outer.colocate_with;
    spec.control_inputs.insert(spec.control_inputs.end(), outer.controls.begin(), outer.controls.end());
  }
  if (spec.name == context.scope) {
    if (!context.own.colocate_with.empty()) spec.colocate_with = context.own.colocate_with;
    spec.control_inputs.insert(spec.control_inputs.end(), context.own.controls.begin(), context.own.controls.end());
  }
  if (!flow_of_.empty() && !EnterFlow(spec, location)) return {};
  const std::vector<Output> inputs = spec.inputs;
  const OpDef* const op = graph_.ops().Find(spec.op);
  Result<NodeId> id = graph_.AddNode(std::move(spec));
  if (!id.ok()) {
    diagnostics_.ErrorOfCall(location, id.status().message(),
                             op == nullptr ? std::string() : AboutInputs(context.frame, *op, inputs));
    return {};
  }
  location.call = call_;
  graph_.mutable_node(*id).location = location;
  if (!flow_.empty()) flow_of_[*id] = flow_.back().id;
  return *id;
}

std::optional<Output> Lowering::AddConst(const ExprContext& context, const std::string& name, Tensor value,
                                         SourceLocation location) {
  NodeSpec spec;
  spec.name = name;
  spec.op = "Const";
  spec.attrs.Set("dtype", value.dtype());
  spec.attrs.Set("value", std::move(value));
  const std::optional<NodeId> id = Add(context, std::move(spec), location);
  if (!id) return {};
  return Output{*id, 0};
}

std::optional<Value> Lowering::LowerConst(const ExprContext& context, const Expr& call, const std::string& own_name) {
  Expr named = call;
  if (named.items.size() == 1 && !named.items[0].is(Expr::Kind::kControl)) {
    named.keywords.push_back({"value", named.items[0].location, named.items[0]});
    named.items.clear();
  }
  const OpDef& op = *graph_.ops().Find("Const");
  const std::optional<OpArguments> arguments = MatchArguments(op, named, diagnostics_);
  if (!arguments) return {};
  const std::optional<AttrMap> attrs = ConvertAttrs(context, *arguments);
  if (!attrs) return {};
  const Result<Tensor> value = attrs->Get<Tensor>("value");
  if (!value.ok()) {
    diagnostics_.Error(call.location, "Const needs 'value'");
    return {};
  }
  const std::string name = own_name.empty() ? FreshName(context.frame, context.scope, "Const") : own_name;
  const std::optional<Output> output = AddConst(context, name, *value, call.location);
  if (!output) return {};
  return Value{{*output}};
}

std::optional<Output> Lowering::AllAxes(const ExprContext& context, Output value, const std::string& name,
                                        SourceLocation location) {
  const PartialShape shape = graph_.shape(value);
  if (shape.known_rank()) {
    std::vector<int32_t> axes(static_cast<size_t>(shape.rank()));
    for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int32_t>(i);
    return AddConst(context, name, Tensor::Vector<int32_t>(axes), location);
  }
  NodeSpec rank{name + "/Rank", "Rank", {value}, {}, {}, "", "", {}};
  const std::optional<NodeId> rank_id = Add(context, std::move(rank), location);
  const std::optional<Output> start = AddConst(context, name + "/start", Tensor::Scalar<int32_t>(0), location);
  const std::optional<Output> delta = AddConst(context, name + "/delta", Tensor::Scalar<int32_t>(1), location);
  if (!rank_id || !start || !delta) return {};
  NodeSpec range{name, "Range", {*start, {*rank_id, 0}, *delta}, {}, {}, "", "", {}};
  const std::optional<NodeId> range_id = Add(context, std::move(range), location);
  if (!range_id) return {};
  return Output{*range_id, 0};
}

// The dtype of an operand: that of the signature, else of other operands with the same type attr, else the attr's
// default, else the natural dtype of the literal.
DType Lowering::OperandDType(const OpDef& op, const AttrMap& attrs, const std::vector<Operand>& operands,
                             size_t which) const {
  const Operand& operand = operands[which];
  if (operand.arg->dtype != DType::kInvalid) return operand.arg->dtype;
  const DType natural = NaturalDType(operand.constant);
  const std::string& type_attr = operand.arg->type_attr;
  if (type_attr.empty()) return natural;
  if (const AttrValue* given = attrs.Find(type_attr)) {
    if (const DType* dtype = given->get<DType>()) return *dtype;
  }
  bool has_fraction = false;
  for (const Operand& o : operands) {
    if (o.arg->type_attr != type_attr || o.expr == nullptr) continue;
    if (o.output) return graph_.dtype(*o.output);
    has_fraction = has_fraction || (NaturalDType(o.constant) == DType::kFloat && !o.constant.elements.empty());
  }
  const AttrDef* def = op.FindAttr(type_attr);
  const DType* preset = def == nullptr ? nullptr : def->default_value.get<DType>();
  if (preset != nullptr && (IsFloating(*preset) || !has_fraction || !Allows(def, DType::kFloat))) return *preset;
  if (has_fraction || (natural == DType::kInt32 && !Allows(def, natural) && Allows(def, DType::kFloat)))
    return DType::kFloat;
  if (operand.constant.elements.empty() && !Allows(def, natural)) return DType::kInt32;
  return natural == DType::kInt32 && !Allows(def, natural) ? DType::kInt64 : natural;
}

std::optional<std::vector<Lowering::Operand>> Lowering::LowerOperands(const ExprContext& context, const OpDef& op,
                                                                      const OpArguments& arguments) {
  std::vector<Operand> operands;
  bool good = true;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const bool left_out = arguments.inputs[i].empty() && op.inputs[i].name == "reduction_indices";
    if (left_out) operands.push_back({&op.inputs[i], nullptr, {}, {}});
    for (const Expr* expr : arguments.inputs[i]) {
      Operand& operand = operands.emplace_back(Operand{&op.inputs[i], expr, {}, {}});
      Folded folded = Fold(context, *expr);
      if (folded.is_constant()) {
        operand.constant = std::move(folded.value);
        continue;
      }
      if (!folded.is_error()) operand.output = LowerOne(context, *expr, "");
      good = good && operand.output.has_value();
    }
  }
  if (!good) return {};
  return operands;
}

bool Lowering::LowerControls(const ExprContext& context, const OpArguments& arguments, NodeSpec& spec) {
  for (const Expr* control : arguments.controls) {
    if (!AddControl(context.frame, *control, spec.control_inputs)) return false;
  }
  return true;
}

bool Lowering::AddInputs(const ExprContext& context, const OpDef& op, std::vector<Operand>& operands,
                         SourceLocation location, NodeSpec& spec) {
  for (size_t i = 0; i < operands.size(); ++i) {
    Operand& operand = operands[i];
    const auto const_name = [&] { return FreshName(context.frame, spec.name, operand.arg->name); };
    if (operand.expr == nullptr) {
      if (!spec.inputs.empty()) operand.output = AllAxes(context, spec.inputs[0], const_name(), location);
    } else if (!operand.output) {
      Result<Tensor> tensor = ToTensor(operand.constant, OperandDType(op, spec.attrs, operands, i), operand.expr);
      if (!tensor.ok()) {
        diagnostics_.Error(operand.expr->location, "input '", operand.arg->name, "' of ", op.name, ": ",
                           tensor.status().message());
        return false;
      }
      operand.output = AddConst(context, const_name(), *std::move(tensor), operand.expr->location);
    }
    if (!operand.output) return false;
    spec.inputs.push_back(*operand.output);
  }
  return true;
}

std::optional<Value> Lowering::LowerOp(const ExprContext& context, const OpDef& op, const Expr& call,
                                       const std::string& own_name) {
  const std::optional<OpArguments> arguments = MatchArguments(op, call, diagnostics_);
  if (!arguments) return {};
  std::optional<AttrMap> attrs = ConvertAttrs(context, *arguments);
  std::optional<std::vector<Operand>> operands = LowerOperands(context, op, *arguments);
  NodeSpec spec;
  if (!LowerControls(context, *arguments, spec) || !attrs || !operands) return {};
  // The node is named after its operands have their names, because they may take the same name.
  spec.name = own_name.empty() ? FreshName(context.frame, context.scope, op.name) : own_name;
  spec.op = op.name;
  spec.attrs = *std::move(attrs);
  if (JoinsOne(op, *arguments)) {
    std::erase_if(*operands, [](const Operand& operand) { return operand.arg->name != "values"; });
    spec.op = "Identity";
    spec.attrs = {};
  }
  if (!AddInputs(context, op, *operands, call.location, spec) || !CheckQuotient(call, spec.inputs)) return {};
  SetSeeds(op, spec);
  const std::optional<NodeId> id = Add(context, std::move(spec), call.location);
  if (!id) return {};
  return AllOutputs(*id);
}

}  // namespace dfrun
