// Lowers Cond(pred, then, else), of which only the nodes that the taken side needs run.
#include <algorithm>

#include "src/base/text.h"
#include "src/spec/lowering.h"
#include "src/spec/node_keys.h"

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

// A list gives several values; a call gives all of its results.
std::optional<std::vector<Output>> Lowering::LowerSide(const ExprContext& context, const Expr& expr,
                                                       const std::string& scope) {
  std::vector<Output> values;
  const NodeOptions options;
  const ExprContext inside{context.frame, scope, options};
  if (expr.is(Expr::Kind::kList) && !Fold(inside, expr).is_constant()) {
    for (const Expr& item : expr.items) {
      const std::optional<Output> value = LowerOne(inside, item, "");
      if (!value) return {};
      values.push_back(*value);
    }
  } else {
    std::optional<Value> value = LowerExpr(inside, expr, "");
    if (!value) return {};
    values = std::move(value->outputs);
  }
  for (Output& value : values) {
    NodeSpec spec;
    spec.name = FreshName(context.frame, scope, "result");
    spec.op = "Identity";
    spec.inputs = {value};
    const std::optional<NodeId> id = Add(inside, std::move(spec), expr.location);
    if (!id) return {};
    value = {*id, 0};
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

std::optional<Value> Lowering::LowerCond(const ExprContext& context, const Expr& call, const std::string& own_name) {
  const std::optional<CondParts> parts = ReadParts(call, diagnostics_);
  if (!parts) return {};
  const std::string name = own_name.empty() ? FreshName(context.frame, context.scope, "Cond") : own_name;
  const ExprContext outside{context.frame, name, context.own};
  std::optional<Output> pred = LowerOne(outside, *parts->pred, "");
  if (pred) pred = Capture(*pred, parts->pred->location);
  if (!pred || !CheckPredicate(*pred, "Cond", parts->pred->location)) return {};
  NodeSpec pivots;
  pivots.name = FreshName(context.frame, name, "pivots");
  pivots.op = "Switch";
  pivots.inputs = {*pred, *pred};
  const std::optional<NodeId> sides = Add(outside, std::move(pivots), call.location);
  if (!sides) return {};

  std::vector<Output> results[2];
  for (int side : {1, 0}) {
    const std::string scope = StrCat(name, side == 1 ? "/then" : "/else");
    flow_.push_back({.id = ++num_flows_, .pred = *pred, .side = side, .scope = scope});
    NodeSpec pivot;
    pivot.name = StrCat(scope, "/pivot");
    pivot.op = "Identity";
    pivot.inputs = {{*sides, side}};
    const std::optional<Output> alive = AddFlowNode(std::move(pivot), depth(), call.location);
    std::optional<std::vector<Output>> values;
    if (alive) {
      flow_.back().pivot = alive->node;
      values = LowerSide(context, side == 1 ? *parts->then : *parts->otherwise, scope);
    }
    flow_.pop_back();
    if (!values) return {};
    results[side] = *std::move(values);
  }
  if (!CheckSides(call, results[1], results[0], parts->otherwise->location)) return {};
  Value value;
  for (size_t i = 0; i < results[0].size(); ++i) {
    NodeSpec merge;
    merge.name = results[0].size() == 1 ? name : StrCat(name, "/", i);
    merge.op = "Merge";
    merge.inputs = {results[0][i], results[1][i]};
    const std::optional<Output> merged = AddFlowNode(std::move(merge), depth(), call.location);
    if (!merged) return {};
    value.outputs.push_back(*merged);
  }
  return value;
}

}  // namespace dfrun
