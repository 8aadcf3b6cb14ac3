#include "src/spec/lowering.h"

#include <algorithm>
#include <functional>

#include "src/spec/family.h"
#include "src/spec/schema/schema.h"
#include "src/spec/uncalled_function.h"

namespace dfrun {
namespace {

// Returns true for text that is a number in other languages or in a wider type: "0x10", "1e400".
bool LooksLikeNumber(std::string_view name) {
  const size_t first = name.find_first_not_of('.');
  return first != std::string_view::npos && name[first] >= '0' && name[first] <= '9';
}

// The name with white space around the operators in it, if it is operands that `is_operand` knows with operators
// between them: "a - b" of "a-b". Empty otherwise.
std::string Spaced(std::string_view name, const std::function<bool(std::string_view)>& is_operand) {
  for (const std::string_view operators : {"-", "-/>"}) {
    std::string spaced;
    bool good = true;
    for (std::string_view rest = name; good;) {
      const size_t end = rest.find_first_of(operators);
      const std::string_view operand = rest.substr(0, end);
      good = is_operand(operand);
      spaced += operand;
      if (end == std::string_view::npos) break;
      spaced += StrCat(" ", rest[end], " ");
      rest.remove_prefix(end + 1);
    }
    if (good && spaced != name) return spaced;
  }
  return "";
}

// Suggests the spec's notation for a member in Python's, such as x.shape.
std::string AboutMember(std::string_view name, const std::function<bool(std::string_view)>& is_node) {
  const size_t point = name.rfind('.');
  if (point == std::string_view::npos || !is_node(name.substr(0, point))) return "";
  const std::string_view node = name.substr(0, point);
  const std::string_view member = name.substr(point + 1);
  if (member == "T") return StrCat("; a transpose is Transpose(", node, ", [1, 0])");
  if (member == "shape") return StrCat("; it is Shape(", node, "), one known dimension dim(", node, ", 0)");
  return "";
}

}  // namespace

Lowering::Lowering(const LoweringInput& input, Graph& graph, Diagnostics& diagnostics)
    : in_(input), graph_(graph), diagnostics_(diagnostics), update_finder_(input.functions, graph.ops()) {
  top_.params = &input.params;
}

void Lowering::AddGraph(const std::vector<GraphEntry>& entries) {
  LowerEntries(top_, entries);
  CheckStandIns();
}

std::optional<Output> Lowering::AddExpression(const Yaml& scalar, const std::string& name, const WantedValue* wanted) {
  const std::optional<Expr> expr = ParseScalar(scalar, Parsing(top_));
  if (!expr) return {};
  if (expr->is(Expr::Kind::kName)) return Reference(top_, *expr);
  const NodeOptions options;
  const std::string own_name = FreshName(top_, "", name);
  const ExprContext context{top_, own_name, options, wanted};
  return LowerOne(context, *expr, own_name);
}

std::optional<Output> Lowering::Find(const Yaml& scalar) {
  const std::optional<Expr> expr = ParseScalar(scalar, Parsing(top_));
  if (!expr) return {};
  if (expr->is(Expr::Kind::kName)) return Reference(top_, *expr);
  diagnostics_.Error(expr->location, "expected the name of a node, not '", expr->source, "'");
  return {};
}

std::optional<NodeId> Lowering::FindNode(const Yaml& scalar) {
  const std::optional<Expr> expr = ParseScalar(scalar, Parsing(top_));
  if (!expr) return {};
  if ((expr->is(Expr::Kind::kName) && expr->port < 0) || expr->is(Expr::Kind::kControl))
    return ControlReference(top_, *expr);
  diagnostics_.Error(expr->location, "expected the name of a node, not '", expr->source, "'");
  return {};
}

std::map<std::string, std::vector<Output>, std::less<>> Lowering::ValuesThatAreNoNode() const {
  std::map<std::string, std::vector<Output>, std::less<>> values;
  for (const auto& [name, value] : top_.values) {
    if (value.failed || value.outputs.empty()) continue;
    const NodeId id = graph_.Find(name);
    if (id < 0 || AllOutputs(id).outputs != value.outputs) values.emplace(name, value.outputs);
  }
  return values;
}

void Lowering::CheckUncalledFunctions() {
  for (const auto& [name, def] : in_.functions) {
    if (called_.contains(&def) || diagnostics_.full()) continue;
    CheckUncalled(def, in_.functions, graph_.ops(), in_.params, in_.cluster, diagnostics_);
  }
}

std::optional<NodeId> Lowering::AddNode(NodeSpec spec, SourceLocation location) {
  const NodeOptions options;
  const std::string scope = spec.name;
  return Add({top_, scope, options}, std::move(spec), location);
}

std::optional<Value> Lowering::LowerExpr(const ExprContext& context, const Expr& expr, const std::string& own_name) {
  if (expr.is(Expr::Kind::kName) && !IsMode(context.frame, expr)) return LowerName(context, expr, own_name);
  if (expr.is(Expr::Kind::kControl)) {
    diagnostics_.Error(expr.location, "'^", expr.text, "' is no value: it stands among the arguments of an op");
    return {};
  }
  const int64_t mode_reads = mode_reads_;
  const Folded folded = Fold(context, expr);
  if (folded.is_error()) return {};
  if (folded.is_constant()) {
    const std::string name = own_name.empty() ? FreshName(context.frame, context.scope, "Const") : own_name;
    const std::optional<Output> output = LowerConstant(context, name, folded.value, expr.location);
    if (!output) return {};
    if (mode_reads_ != mode_reads) NoteModeConstant(context, expr, output->node);
    return Value{{*output}};
  }
  if (expr.is(Expr::Kind::kCall)) return LowerCall(context, expr, own_name);
  diagnostics_.Error(expr.location,
                     "a list with nodes in it is no value; join them with Pack([...]) or ConcatV2([...], 0)");
  return {};
}

std::optional<Output> Lowering::LowerOne(const ExprContext& context, const Expr& expr, const std::string& own_name) {
  const bool is_node = expr.is(Expr::Kind::kName) && !IsMode(context.frame, expr);
  if (is_node && own_name.empty()) return Reference(context.frame, expr);
  const std::optional<Value> value = LowerExpr(context, expr, own_name);
  if (!value) return {};
  if (!value->outputs.empty()) return value->outputs[0];
  diagnostics_.Error(expr.location, "'", expr.text, "' gives no value");
  return {};
}

std::optional<std::vector<Output>> Lowering::LowerItems(const ExprContext& context, const Expr& list) {
  std::vector<Output> values;
  for (const Expr& item : list.items) {
    const std::optional<Output> value = LowerOne(context, item, "");
    if (!value) return {};
    values.push_back(*value);
  }
  return values;
}

std::optional<std::vector<Output>> Lowering::LowerAll(const ExprContext& context, const Expr& expr) {
  std::optional<Value> value = LowerExpr(context, expr, "");
  if (!value) return {};
  return std::move(value->outputs);
}

std::optional<Value> Lowering::LowerName(const ExprContext& context, const Expr& expr, const std::string& own_name) {
  const std::optional<Output> output = Reference(context.frame, expr);
  if (!output) return {};
  if (own_name.empty()) return Value{{*output}};
  NodeSpec spec;
  spec.name = own_name;
  spec.op = "Identity";
  spec.inputs = {*output};
  const std::optional<NodeId> id = Add(context, std::move(spec), expr.location);
  if (!id) return {};
  return AllOutputs(*id);
}

std::optional<Value> Lowering::LowerCall(const ExprContext& context, const Expr& call, const std::string& own_name) {
  const CallTarget target = call.is_operator
                                ? CallTarget{nullptr, CallTarget::Form::kNone, graph_.ops().Find(call.text)}
                                : FindCallTarget(call.text, in_.functions, graph_.ops());
  if (target.function != nullptr) return LowerFunction(context, *target.function, call, own_name);
  if (target.form == CallTarget::Form::kCond) return LowerCond(context, call, own_name);
  if (target.form == CallTarget::Form::kWhile) return LowerWhile(context, call, own_name);
  if (target.form == CallTarget::Form::kRandom) {
    const std::optional<Expr> expanded = ExpandRandom(call, context.wanted, diagnostics_);
    if (!expanded) return {};
    if (expanded->is_operator) return LowerCall(context, *expanded, own_name);
    if (const OpDef* op = graph_.ops().Find(expanded->text)) return LowerOp(context, *op, *expanded, own_name);
  }
  if (target.op == nullptr) {
    ReportUnknownCallee(call, in_.functions, graph_.ops(), diagnostics_);
    return {};
  }
  if (target.form == CallTarget::Form::kVariable) return LowerVariable(context, call, own_name);
  if (target.form == CallTarget::Form::kConst) return LowerConst(context, call, own_name);
  return LowerOp(context, *target.op, call, own_name);
}

const Value* Lowering::FindValue(const CallFrame& frame, std::string_view name, Value& storage) const {
  if (auto it = frame.values.find(name); it != frame.values.end()) return &it->second;
  if (frame.around != nullptr) return FindValue(*frame.around, name, storage);
  const bool is_top = frame.function == nullptr;
  if (!is_top && name.find('/') == std::string_view::npos) return nullptr;
  const NodeId id = is_top ? graph_.Find(name) : graph_.Find(StrCat(frame.scope, "/", name));
  if (id < 0) {
    // A node within a failed entry has failed too, and one within an absent entry is absent: "h1/W" of h1.
    const size_t slash = name.rfind('/');
    if (slash == std::string_view::npos) return nullptr;
    const Value* outer = FindValue(frame, name.substr(0, slash), storage);
    return outer != nullptr && (outer->failed || outer->absent) ? outer : nullptr;
  }
  storage = AllOutputs(id);
  return &storage;
}

std::optional<Output> Lowering::Reference(const CallFrame& frame, const Expr& name) {
  Value storage;
  const Value* value = FindValue(frame, name.text, storage);
  if (value == nullptr) {
    ReportUnknownName(frame, name);
    return {};
  }
  if (value->absent) ReportAbsent(name, *value);
  if (value->failed || value->absent) return {};
  const size_t port = name.port < 0 ? 0 : static_cast<size_t>(name.port);
  if (port < value->outputs.size()) return value->outputs[port];
  if (value->outputs.empty()) {
    diagnostics_.Error(name.location, "'", name.text, "' gives no value: wait for it by ^", name.text,
                       ", or name it in 'targets' of 'run'");
    return {};
  }
  diagnostics_.Error(name.location, "'", name.text, "' has ", value->outputs.size(),
                     value->outputs.size() == 1 ? " output" : " outputs", ", there is none numbered ", port);
  return {};
}

std::optional<NodeId> Lowering::ControlReference(const CallFrame& frame, const Expr& name) {
  Value storage;
  const Value* value = FindValue(frame, name.text, storage);
  if (value == nullptr) {
    if (const std::optional<NodeId> stand_in = StandIn(frame, name)) return stand_in;
  }
  if (value == nullptr || value->failed || value->absent || !value->outputs.empty()) {
    const std::optional<Output> output = Reference(frame, name);
    if (!output) return {};
    return output->node;
  }
  for (const CallFrame* f = &frame; f != nullptr; f = f->around) {
    const NodeId id = graph_.Find(f->scope.empty() ? std::string(name.text) : StrCat(f->scope, "/", name.text));
    if (id >= 0) return id;
  }
  ReportUnknownName(frame, name);
  return {};
}

bool Lowering::AddControl(const CallFrame& frame, const Expr& name, std::vector<NodeId>& controls) {
  Value storage;
  const Value* value = FindValue(frame, name.text, storage);
  if (value != nullptr && value->absent) return true;
  const std::optional<NodeId> node = ControlReference(frame, name);
  if (node) controls.push_back(*node);
  return node.has_value();
}

// The names that an expression may mean: those that it sees, and of nodes within entries the siblings of the name.
std::vector<std::string> Lowering::NamesNear(const CallFrame& frame, std::string_view name) const {
  std::vector<std::string> known = {"true", "false", "inf", "nan", "training"};
  for (const CallFrame* f = &frame; f != nullptr; f = f->around) {
    for (const auto& [text, value] : f->values) known.emplace_back(text);
    for (std::string_view text : f->entries) known.emplace_back(text);
  }
  const size_t slash = name.rfind('/');
  if (slash != std::string_view::npos) {
    const std::string scope = frame.scope.empty() ? std::string() : StrCat(frame.scope, "/");
    const std::string siblings = StrCat(scope, name.substr(0, slash + 1));
    for (const Node& node : graph_.nodes()) {
      if (node.name.starts_with(siblings)) known.push_back(node.name.substr(scope.size()));
    }
  }
  std::sort(known.begin(), known.end());
  return known;
}

std::string Lowering::AboutUnknownName(const CallFrame& frame, std::string_view name) const {
  if (std::string hidden = AboutHiddenMode(frame, name); !hidden.empty()) return hidden;
  if (frame.entries.contains(StrCat(name, "/0")))
    return StrCat("; it is a family: '", name, "/0' is a node, '", name, "/*' all of them");
  const auto is_node = [&](std::string_view part) {
    Value storage;
    return FindValue(frame, part, storage) != nullptr || frame.entries.contains(part);
  };
  const auto is_operand = [&](std::string_view part) { return ParseNumber(part) || is_node(part); };
  if (const std::string spaced = Spaced(name, is_operand); !spaced.empty())
    return StrCat("; operators need white space around them: ", spaced);
  if (LooksLikeNumber(name)) return "; a number is decimal, and at most 1.8e308: 16, -0.5, 1e-3, inf";
  if (const std::string member = AboutMember(name, is_node); !member.empty()) return member;
  if (std::string near = DidYouMean(name, NamesNear(frame, name)); !near.empty()) return near;
  if (name.find_first_of("-/>") != std::string_view::npos) return "; operators need white space around them: a - b";
  if (frame.function == nullptr) return "";
  return StrCat("; function '", frame.function->name, "' sees its arguments and its own nodes");
}

void Lowering::ReportUnknownName(const CallFrame& frame, const Expr& name) {
  diagnostics_.Error(name.location, "unknown node '", name.text, "'", AboutUnknownName(frame, name.text));
}

Folded Lowering::Fold(const ExprContext& context, const Expr& expr) {
  return FoldExpr(
      expr, [&](const Expr& call) { return FoldCallOf(context, call); }, diagnostics_);
}

Folded Lowering::FoldCallOf(const ExprContext& context, const Expr& call) {
  if (call.is(Expr::Kind::kName) && !IsMode(context.frame, call)) return {};
  const std::optional<ModeBool> decided = ModeBoolOf(context, call, ModeNodes::kUnread);
  if (decided && decided->depends_on_mode) {
    Folded folded{Folded::Kind::kConstant, {}};
    folded.value.elements.emplace_back(decided->value);
    return folded;
  }
  if (call.text == "Cond") return FoldDecidedCond(context, call);
  if (call.text == "tasks") return FoldTasks(call, in_.cluster, diagnostics_);
  if (call.text != "dim") return {};
  constexpr Folded::Kind kError = Folded::Kind::kError;
  if (call.items.size() != 2 || !call.items[0].is(Expr::Kind::kName) || !call.keywords.empty()) {
    diagnostics_.Error(call.location, "dim() takes the name of a node and the number of a dimension: dim(x, 1)");
    return {kError, {}};
  }
  const Expr& name = call.items[0];
  const std::optional<Output> output = Reference(context.frame, name);
  const Folded index = Fold(context, call.items[1]);
  if (!output || index.is_error()) return {kError, {}};
  const PartialShape& shape = graph_.shape(*output);
  const auto* dim =
      index.is_constant() && index.value.dims.empty() ? std::get_if<int64_t>(&index.value.elements[0]) : nullptr;
  if (dim == nullptr || (shape.known_rank() && (*dim >= shape.rank() || *dim < -shape.rank()))) {
    diagnostics_.ErrorOfCall(call.items[1].location, "'", name.text, "' has shape ", shape,
                             ", there is no such dimension");
    return {kError, {}};
  }
  const int64_t size =
      shape.known_rank() ? shape.dim(static_cast<int>(*dim < 0 ? *dim + shape.rank() : *dim)) : PartialShape::kUnknown;
  if (size == PartialShape::kUnknown) {
    diagnostics_.ErrorOfCall(call.location, "dimension ", *dim, " of '", name.text,
                             "' is not known before the step runs: its shape is ", shape);
    return {kError, {}};
  }
  Folded folded{Folded::Kind::kConstant, {}};
  folded.value.elements.emplace_back(size);
  return folded;
}

bool Lowering::IsReserved(const CallFrame& frame, std::string_view name) const {
  for (const CallFrame* f = &frame; f != nullptr; f = f->caller) {
    std::string_view rest = name;
    if (!f->scope.empty()) {
      if (!rest.starts_with(f->scope) || rest.size() <= f->scope.size() || rest[f->scope.size()] != '/') continue;
      rest.remove_prefix(f->scope.size() + 1);
    }
    for (const CallFrame* around = f; around != nullptr; around = around->around) {
      if (around->entries.contains(rest)) return true;
    }
  }
  return false;
}

std::string Lowering::FreshName(const CallFrame& frame, const std::string& scope, std::string_view base) const {
  std::string wished = scope.empty() ? std::string(base) : StrCat(scope, "/", base);
  const auto is_free = [&](const std::string& name) {
    return !scopes_.contains(name) && !IsReserved(frame, name) && graph_.Find(name) < 0;
  };
  if (is_free(wished)) return wished;
  std::string name = graph_.UniqueName(wished);
  for (int i = 1; !is_free(name); ++i) name = StrCat(wished, "_", i);
  return name;
}

}  // namespace dfrun
