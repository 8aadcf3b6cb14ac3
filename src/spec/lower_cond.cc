// Lowers Cond(pred, then, else), of which only the nodes that the taken side needs run.
#include <algorithm>

#include "src/base/text.h"
#include "src/spec/lowering.h"
#include "src/spec/schema/node_keys.h"

namespace dfrun {
namespace {

struct CondParts {
  const Expr* pred = nullptr;
  const Expr* then = nullptr;
  const Expr* otherwise = nullptr;
};

// Reads the arguments in order or by name.
std::optional<CondParts> ReadParts(const Expr& call, Diagnostics& diagnostics) {
  CondParts parts;
  const Expr** const in_order[] = {&parts.pred, &parts.then, &parts.otherwise};
  const std::vector<std::string> names = NamesOf(CondKeys());
  if (call.items.size() > 3) {
    diagnostics.Error(call.items[3].location, "Cond takes a condition and two sides: Cond(x > 0, f(x), g(x))");
    return {};
  }
  for (size_t i = 0; i < std::min<size_t>(3, call.items.size()); ++i) *in_order[i] = &call.items[i];
  for (const KeywordArg& k : call.keywords) {
    size_t i = 0;
    while (i < 3 && names[i] != k.name) ++i;
    if (i == 3) {
      diagnostics.Error(k.location, "unknown key '", k.name, "' of Cond; it takes ", Join(names));
      return {};
    }
    *in_order[i] = &k.value;
  }
  for (size_t i = 0; i < 3; ++i) {
    if (*in_order[i] != nullptr) continue;
    diagnostics.Error(call.location, "Cond lacks '", names[i], "': Cond(x > 0, f(x), g(x))");
    return {};
  }
  return parts;
}

}  // namespace

// Builds the side that the innermost level is.
std::optional<std::vector<Output>> Lowering::LowerSide(const ExprContext& context, const Expr& expr, Output pivot) {
  NodeSpec alive;
  alive.name = StrCat(context.scope, "/pivot");
  alive.op = "Identity";
  alive.inputs = {pivot};
  const std::optional<Output> is_taken = AddFlowNode(std::move(alive), depth(), expr.location);
  if (!is_taken) return {};
  flow_.back().pivot = is_taken->node;
  const bool is_list = expr.is(Expr::Kind::kList) && !Fold(context, expr).is_constant();
  std::optional<std::vector<Output>> values = is_list ? LowerItems(context, expr) : LowerAll(context, expr);
  if (!values) return {};
  for (Output& value : *values) {
    NodeSpec spec;
    spec.name = FreshName(context.frame, context.scope, "result");
    spec.op = "Identity";
    spec.inputs = {value};
    if (!flow_.back().controls.empty()) spec.control_inputs = {flow_.back().pivot};
    const std::optional<NodeId> id = Add(context, std::move(spec), expr.location);
    if (!id) return {};
    value = {*id, 0};
    flow_.back().results.push_back(*id);
  }
  return values;
}

bool Lowering::CheckSides(const Expr& call, const std::vector<Output>& then, const std::vector<Output>& otherwise,
                          SourceLocation location) {
  if (then.size() != otherwise.size() || then.empty()) {
    diagnostics_.Error(call.location, "the sides of a Cond give ", then.size(), " and ", otherwise.size(),
                       " values; both must give as many, and at least one");
    return false;
  }
  for (size_t i = 0; i < then.size(); ++i) {
    if (graph_.dtype(then[i]) == graph_.dtype(otherwise[i]) &&
        graph_.shape(then[i]).IsCompatibleWith(graph_.shape(otherwise[i]))) {
      continue;
    }
    diagnostics_.Error(location, "the sides of a Cond give ", graph_.dtype(then[i]), graph_.shape(then[i]), " and ",
                       graph_.dtype(otherwise[i]), graph_.shape(otherwise[i]),
                       "; both must give the same dtype and shape");
    return false;
  }
  return true;
}

// The condition as the sides' level reads it: one value, also where it is a variable.
std::optional<Output> Lowering::LowerCondition(const ExprContext& context, const Expr& pred) {
  std::optional<Output> value = LowerOne(context, pred, "");
  if (value) value = Capture(*value, {.location = pred.location});
  if (!value || !CheckPredicate(*value, "Cond", pred.location)) return {};
  if (!graph_.is_ref(*value) && !VariableOf(*value).valid()) return value;
  NodeSpec read;
  read.name = FreshName(context.frame, context.scope, "pred");
  read.op = "Identity";
  read.inputs = {*value};
  read.control_inputs = context.own.controls;
  const std::optional<NodeId> id = Add(context, std::move(read), pred.location);
  if (!id) return {};
  return Output{*id, 0};
}

std::optional<Value> Lowering::MergeSides(const std::string& name, const std::vector<Output> (&results)[2],
                                          SourceLocation location) {
  Value value;
  for (size_t i = 0; i < results[0].size(); ++i) {
    NodeSpec merge;
    merge.name = results[0].size() == 1 ? name : StrCat(name, "/", i);
    merge.op = "Merge";
    merge.inputs = {results[0][i], results[1][i]};
    const std::optional<Output> merged = AddFlowNode(std::move(merge), depth(), location);
    if (!merged) return {};
    value.outputs.push_back(*merged);
  }
  return value;
}

std::optional<Value> Lowering::LowerCond(const ExprContext& context, const Expr& call, const std::string& own_name) {
  const std::optional<CondParts> parts = ReadParts(call, diagnostics_);
  if (!parts) return {};
  if (const std::optional<bool> choice = ModeChoice(context, *parts->pred)) {
    const Expr& side = *choice ? *parts->then : *parts->otherwise;
    std::optional<Value> value = LowerDecidedSide(context, side, own_name);
    if (!value || !CheckDecidedSides(context, call, *parts->otherwise, *value)) return {};
    return value;
  }
  const std::string name = own_name.empty() ? FreshName(context.frame, context.scope, "Cond") : own_name;
  const ExprContext outside{context.frame, name, context.own};
  const std::optional<Output> pred = LowerCondition(outside, *parts->pred);
  if (!pred) return {};
  BeginFlow(call);
  NodeSpec pivots;
  pivots.name = FreshName(context.frame, name, "pivots");
  pivots.op = "Switch";
  pivots.inputs = {*pred, *pred};
  pivots.control_inputs = context.own.controls;
  if (may_update_ && !flow_.empty()) pivots.control_inputs.push_back(flow_.back().pivot);
  const std::optional<NodeId> sides = Add(outside, std::move(pivots), call.location);
  if (!sides) return {};

  CallFrame frame;
  EnterFrame(context, frame);
  const NodeOptions options;
  std::vector<Output> results[2];
  std::vector<int32_t> levels;
  for (int side : {1, 0}) {
    const std::string scope = StrCat(name, side == 1 ? "/then" : "/else");
    levels.push_back(++num_flows_);
    flow_.push_back(
        {.id = levels.back(), .pred = *pred, .side = side, .scope = scope, .controls = ControlsOf(context)});
    std::optional<std::vector<Output>> values =
        LowerSide({frame, scope, options}, side == 1 ? *parts->then : *parts->otherwise, {*sides, side});
    PopFlow();
    if (!values) return {};
    results[side] = *std::move(values);
  }
  if (!CheckSides(call, results[1], results[0], parts->otherwise->location)) return {};
  std::optional<Value> value = MergeSides(name, results, call.location);
  if (value) EndFlow(value->outputs, levels);
  return value;
}

}  // namespace dfrun
