// Lowers While: a body gives variables new values while a condition on them holds.
#include <algorithm>

#include "src/base/text.h"
#include "src/spec/lowering.h"
#include "src/spec/schema/node_keys.h"
#include "src/spec/schema/schema.h"

namespace dfrun {
namespace {

const Expr* FindPart(const Expr& call, std::string_view name) {
  for (const KeywordArg& k : call.keywords) {
    if (k.name == name) return &k.value;
  }
  return nullptr;
}

bool CheckParts(const Expr& call, Diagnostics& diagnostics) {
  for (const KeywordArg& k : call.keywords) {
    if (FindKeyDef(WhileKeys(), k.name) != nullptr) continue;
    diagnostics.Error(k.location, "unknown key '", k.name, "' of While; it takes ", Join(NamesOf(WhileKeys())));
    return false;
  }
  for (std::string_view part : {"cond", "body"}) {
    if (FindPart(call, part) != nullptr) continue;
    diagnostics.Error(call.location, "While lacks '", part, "'");
    return false;
  }
  return true;
}

// The name of a function stands for its call with all variables.
Expr WithVariables(const Expr& expr, const FunctionMap& functions, const std::vector<std::string_view>& names) {
  if (!expr.is(Expr::Kind::kName) || functions.find(expr.text) == functions.end()) return expr;
  if (std::find(names.begin(), names.end(), expr.text) != names.end()) return expr;
  Expr call = expr;
  call.kind = Expr::Kind::kCall;
  for (std::string_view name : names) {
    Expr& argument = call.items.emplace_back();
    argument.kind = Expr::Kind::kName;
    argument.location = expr.location;
    argument.text = name;
  }
  return call;
}

}  // namespace

// Reads the variables, which are named in `vars`, or given in order; these get the names of the arguments of the body,
// which then must be a function.
bool Lowering::ReadLoopVars(const ExprContext& context, const Expr& call, const Expr& body, const std::string& name,
                            std::vector<LoopVar>& vars) {
  std::vector<KeywordArg> initial;
  if (const Expr* named = FindPart(call, "vars")) {
    initial = named->keywords;
  } else if (const auto def = in_.functions.find(body.text); body.is(Expr::Kind::kName) && def != in_.functions.end()) {
    if (call.items.size() != def->second.args.size()) {
      diagnostics_.Error(call.location, "While has ", call.items.size(), " variables, but function '", body.text,
                         "' takes ", def->second.args.size());
      return false;
    }
    for (size_t i = 0; i < call.items.size(); ++i) {
      initial.push_back({def->second.args[i].text(), call.items[i].location, call.items[i]});
    }
  }
  if (initial.empty()) {
    diagnostics_.Error(call.location,
                       "While lacks its variables: write a mapping with 'vars: {i: 0}', or "
                       "While(0, cond=f, body=g) with functions f and g");
    return false;
  }
  for (const KeywordArg& k : initial) {
    const std::string own_name = Fold(context, k.value).is_constant() ? StrCat(name, "/", k.name, "/initial") : "";
    const std::optional<Output> value = LowerOne(context, k.value, own_name);
    if (!value) return false;
    NodeSpec begin;  // reads the value, as the node Enter does
    begin.op = "Enter";
    begin.inputs = {*value};
    begin.control_inputs = ControlsOf(context);
    if (!flow_.empty() && !EnterFlow(begin, k.value.location)) return false;
    vars.push_back({std::string(k.name), k.location, begin.inputs[0], -1, {}});
  }
  return true;
}

bool Lowering::EnterLoop(const std::string& name, std::vector<LoopVar>& vars) {
  std::vector<NodeId> controls = flow_.back().controls;
  const int inside = depth();
  if (inside > 0) controls.push_back(flow_[static_cast<size_t>(inside) - 1].pivot);
  for (LoopVar& var : vars) {
    if (graph_.is_ref(var.initial)) {
      const std::optional<Output> value = ReadBefore(var.initial, inside, {}, var.location);
      if (!value) return false;
      var.initial = *value;
    }
    NodeSpec enter;
    enter.name = StrCat(name, "/", var.name, "/Enter");
    enter.op = "Enter";
    enter.inputs = {var.initial};
    enter.control_inputs = controls;
    enter.attrs = {{"frame_name", flow_.back().frame}, {"parallel_iterations", flow_.back().loop.parallel_iterations}};
    if (flow_.back().loop.swap_memory) enter.attrs.Set("_swap_memory", true);
    const std::optional<Output> entered = AddFlowNode(std::move(enter), inside, var.location);
    if (!entered) return false;
    NodeSpec merge;
    merge.name = StrCat(name, "/", var.name, "/Merge");
    merge.op = "Merge";
    merge.inputs = {*entered, Output()};
    merge.attrs = {{"T", graph_.dtype(*entered)}, {"N", 2}};
    const std::optional<Output> merged = AddFlowNode(std::move(merge), inside, var.location);
    if (!merged) return false;
    graph_.mutable_node(merged->node).output_shapes[0] = graph_.shape(*entered);
    var.merge = merged->node;
    var.inside = *merged;
  }
  flow_.back().pivot = vars[0].merge;
  return true;
}

std::optional<Output> Lowering::AddTurnCounter(const ExprContext& context, const Expr& limit, const std::string& name,
                                               std::vector<LoopVar>& vars) {
  const Folded folded = Fold(context, limit);
  if (folded.is_error()) return {};
  const std::optional<Output> most =
      LowerOne(context, limit, folded.is_constant() ? FreshName(context.frame, name, "max_iterations") : "");
  if (!most) return {};
  const DType dtype = graph_.dtype(*most);
  const PartialShape& shape = graph_.shape(*most);
  const Tensor* const known = graph_.ConstantValue(*most);
  const bool is_count =
      (dtype == DType::kInt32 || dtype == DType::kInt64) && (!shape.known_rank() || shape.rank() == 0);
  if (!is_count ||
      (known != nullptr && (dtype == DType::kInt32 ? known->scalar<int32_t>() : known->scalar<int64_t>()) < 0)) {
    diagnostics_.Error(limit.location, "max_iterations must be a number of at least 0, or a scalar int32 or int64");
    return {};
  }
  Tensor zero = dtype == DType::kInt32 ? Tensor::Scalar<int32_t>(0) : Tensor::Scalar<int64_t>(0);
  const std::optional<Output> initial =
      AddConst(context, FreshName(context.frame, name, "turn/initial"), std::move(zero), limit.location);
  if (!initial) return {};
  vars.push_back({FreshName(context.frame, "", "turn"), limit.location, *initial, -1, {}});
  return most;
}

std::optional<Output> Lowering::AddInLoop(const ExprContext& inner, const char* op, Output a, Output b,
                                          SourceLocation location) {
  NodeSpec spec;
  spec.name = FreshName(inner.frame, flow_.back().frame, StrCat("turn/", op));
  spec.op = op;
  spec.inputs = {a, b};
  const std::optional<NodeId> id = Add(inner, std::move(spec), location);
  if (!id) return {};
  return Output{*id, 0};
}

std::optional<Output> Lowering::CountTurn(const ExprContext& inner, const LoopVar& counter) {
  const bool is_small = graph_.dtype(counter.inside) == DType::kInt32;
  const std::optional<Output> one =
      AddConst(inner, FreshName(inner.frame, flow_.back().frame, "turn/one"),
               is_small ? Tensor::Scalar<int32_t>(1) : Tensor::Scalar<int64_t>(1), counter.location);
  if (!one) return {};
  return AddInLoop(inner, "Add", counter.inside, *one, counter.location);
}

std::optional<Output> Lowering::LowerLoopCond(const ExprContext& inner, const Expr& cond,
                                              const std::vector<LoopVar>& vars, std::optional<Output> limit) {
  std::optional<Output> goes_on = LowerOne(inner, cond, "");
  if (!goes_on || !CheckPredicate(*goes_on, "While", cond.location)) return {};
  if (limit) {
    const std::optional<Output> is_below = AddInLoop(inner, "Less", vars.back().inside, *limit, cond.location);
    goes_on = is_below ? AddInLoop(inner, "LogicalAnd", *is_below, *goes_on, cond.location) : std::nullopt;
    if (!goes_on) return {};
  }
  NodeSpec spec;
  spec.name = StrCat(flow_.back().frame, "/LoopCond");
  spec.op = "LoopCond";
  spec.inputs = {*goes_on};
  spec.control_inputs = {vars[0].merge};
  const std::optional<NodeId> id = Add(inner, std::move(spec), cond.location);
  if (!id) return {};
  flow_.back().loop_cond = *id;
  return Output{*id, 0};
}

std::optional<std::vector<Output>> Lowering::LowerBody(const ExprContext& inner, const Expr& body,
                                                       std::span<const LoopVar> vars) {
  if (!body.is(Expr::Kind::kMap)) {
    const std::optional<std::vector<Output>> values =
        body.is(Expr::Kind::kList) ? LowerItems(inner, body) : LowerAll(inner, body);
    if (!values || values->size() == vars.size()) return values;
    diagnostics_.Error(body.location, "the body gives ", values->size(), " values for ", vars.size(), " variables");
    return {};
  }
  std::vector<Output> next;
  for (const LoopVar& var : vars) next.push_back(var.inside);
  for (const KeywordArg& k : body.keywords) {
    const auto it = std::find_if(vars.begin(), vars.end(), [&](const LoopVar& var) { return var.name == k.name; });
    if (it == vars.end()) {
      std::vector<std::string> names;
      names.reserve(vars.size());
      for (const LoopVar& var : vars) names.push_back(var.name);
      diagnostics_.Error(k.location, "the body gives a value for '", k.name, "', which is no variable of the loop",
                         DidYouMean(k.name, names));
      return {};
    }
    const std::optional<Output> value = LowerOne(inner, k.value, "");
    if (!value) return {};
    next[static_cast<size_t>(it - vars.begin())] = *value;
  }
  return next;
}

bool Lowering::CloseLoop(const ExprContext& inner, const std::vector<LoopVar>& vars, const std::vector<Output>& next,
                         SourceLocation location) {
  for (size_t i = 0; i < vars.size(); ++i) {
    const LoopVar& var = vars[i];
    const Output merge{var.merge, 0};
    if (graph_.dtype(next[i]) != graph_.dtype(merge) || !graph_.shape(next[i]).IsCompatibleWith(graph_.shape(merge))) {
      diagnostics_.Error(var.location, "the body gives '", var.name, "' as ", graph_.dtype(next[i]),
                         graph_.shape(next[i]), ", but it enters the loop as ", graph_.dtype(merge),
                         graph_.shape(merge), "; dtype and shape are the same in all iterations");
      return false;
    }
    NodeSpec spec;
    spec.name = StrCat(flow_.back().frame, "/", var.name, "/NextIteration");
    spec.op = "NextIteration";
    spec.inputs = {next[i]};
    spec.control_inputs = {flow_.back().pivot};
    const std::optional<NodeId> id = Add(inner, std::move(spec), location);
    if (!id) return false;
    graph_.mutable_node(var.merge).inputs[1] = {*id, 0};
    flow_.back().results.push_back(*id);
  }
  return true;
}

std::optional<Lowering::LoopOptions> Lowering::ReadLoopOptions(const ExprContext& context, const Expr& call) {
  LoopOptions options;
  const auto read = [&](std::string_view key, auto& value, const auto& fits, std::string_view wanted) {
    const Expr* given = FindPart(call, key);
    if (given == nullptr) return true;
    const Folded folded = Fold(context, *given);
    const bool is_scalar = folded.is_constant() && folded.value.dims.empty();
    const auto* found = is_scalar ? std::get_if<std::decay_t<decltype(value)>>(&folded.value.elements[0]) : nullptr;
    if (found != nullptr && fits(*found)) {
      value = *found;
      return true;
    }
    if (!folded.is_error()) diagnostics_.Error(given->location, key, " must be ", wanted);
    return false;
  };
  const auto is_count = [](int64_t number) { return number >= 1; };
  const auto is_any = [](bool) { return true; };
  const bool read_both = read("parallel_iterations", options.parallel_iterations, is_count, "a number of at least 1") &&
                         read("swap_memory", options.swap_memory, is_any, "true or false");
  if (!read_both) return {};
  return options;
}

std::optional<Value> Lowering::LowerWhile(const ExprContext& context, const Expr& call, const std::string& own_name) {
  if (!CheckParts(call, diagnostics_)) return {};
  const std::string name = own_name.empty() ? FreshName(context.frame, context.scope, "While") : own_name;
  const std::optional<LoopOptions> options_of_loop = ReadLoopOptions(context, call);
  if (!options_of_loop) return {};
  const Expr& written_body = *FindPart(call, "body");
  std::vector<LoopVar> vars;
  if (!ReadLoopVars({context.frame, name, context.own}, call, written_body, name, vars)) return {};
  std::vector<std::string_view> names;
  names.reserve(vars.size());
  for (const LoopVar& var : vars) names.push_back(var.name);
  const size_t own = vars.size();
  std::optional<Output> limit;
  if (const Expr* most = FindPart(call, "max_iterations")) {
    limit = AddTurnCounter({context.frame, name, context.own}, *most, name, vars);
    if (!limit) return {};
  }
  const Expr cond = WithVariables(*FindPart(call, "cond"), in_.functions, names);
  const Expr body = WithVariables(written_body, in_.functions, names);

  CallFrame frame;
  EnterFrame(context, frame);
  const NodeOptions options;
  const std::string cond_scope = StrCat(name, "/cond");
  const std::string body_scope = StrCat(name, "/body");
  const auto bind = [&] {
    for (size_t i = 0; i < own; ++i) frame.values.insert_or_assign(vars[i].name, Value{{vars[i].inside}});
  };
  BeginFlow(call);
  const int32_t level = ++num_flows_;
  flow_.push_back(
      {.id = level, .frame = name, .loop = *options_of_loop, .scope = name, .controls = ControlsOf(context)});
  std::vector<Output> leaving;
  const auto build = [&] {
    if (!EnterLoop(name, vars)) return false;
    bind();
    const std::optional<Output> pred = LowerLoopCond({frame, cond_scope, options}, cond, vars, limit);
    if (!pred) return false;
    for (LoopVar& var : vars) {
      NodeSpec spec;
      spec.name = StrCat(name, "/", var.name, "/Switch");
      spec.op = "Switch";
      spec.inputs = {var.inside, *pred};
      const std::optional<Output> sides = AddFlowNode(std::move(spec), depth(), var.location);
      if (!sides) return false;
      leaving.push_back(*sides);
      NodeSpec inside;
      inside.name = StrCat(name, "/", var.name, "/Identity");
      inside.op = "Identity";
      inside.inputs = {{sides->node, 1}};
      const std::optional<Output> value = AddFlowNode(std::move(inside), depth(), var.location);
      if (!value) return false;
      var.inside = *value;
    }
    flow_.back().pivot = vars[0].inside.node;
    bind();
    const ExprContext in_body{frame, body_scope, options};
    std::optional<std::vector<Output>> next = LowerBody(in_body, body, std::span(vars).first(own));
    if (next && limit) {
      const std::optional<Output> turn = CountTurn(in_body, vars.back());
      if (!turn) return false;
      next->push_back(*turn);
    }
    return next && CloseLoop(in_body, vars, *next, written_body.location);
  };
  const bool built = build();
  PopFlow();
  if (!built) return {};
  Value value;
  for (size_t i = 0; i < own; ++i) {
    NodeSpec exit;
    exit.name = own == 1 ? name : StrCat(name, "/", vars[i].name);
    exit.op = "Exit";
    exit.inputs = {leaving[i]};
    const std::optional<Output> left = AddFlowNode(std::move(exit), depth(), vars[i].location);
    if (!left) return {};
    value.outputs.push_back(*left);
  }
  EndFlow(value.outputs, {level});
  return value;
}

}  // namespace dfrun
