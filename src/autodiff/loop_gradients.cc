// Adds the gradients of loops; src/autodiff/gradient_scope.h describes their form.
#include <algorithm>
#include <utility>

#include "src/autodiff/differentiation.h"
#include "src/autodiff/gradient_sum.h"

namespace dfrun {

Status Differentiation::VisitLoop(FrameGradient& outer, int32_t frame) {
  loops_[frame].was_visited = true;
  std::vector<NodeId> nodes;
  bool between = false;
  for (const FlowUnit& unit : forward_->units[frame]) {
    if (unit.node < 0) continue;
    nodes.push_back(unit.node);
    between = between || dependency_.IsBetween(unit.node);
  }
  if (!between) return Status();
  DF_ASSIGN(const ForwardLoop loop, FindLoop(graph_, forward_->frames, *consumers_, nodes, frame));
  DF_ASSIGN(const std::vector<const LoopVariable*> variables, ActiveVariables(loop));
  if (!IsReached(frame, variables)) return Status();

  FrameGradient inner{GradientScope(outer.scope, frame, loop, FinishedBefore(frame)), {}};
  DF_TRY(inner.scope.status());
  std::vector<Active> active;
  for (const LoopVariable* variable : variables) {
    DF_ASSIGN(Active begun, BeginVariable(outer, inner, *variable));
    active.push_back(begun);
  }
  DF_TRY(Walk(inner, frame));
  for (const Active& variable : active) DF_TRY(EndVariable(inner, variable));
  for (NodeId enter : loop.constants) {
    if (!dependency_.IsBetween(enter) || PartsOf({enter, 0}).empty()) continue;
    const Output value = graph_.node(enter).inputs[0];
    DF_ASSIGN(const GradientValue sum, Accumulate(outer, inner, value, PartsOf({enter, 0}), {enter, 0}));
    PartsOf({enter, 0}) = {sum};
  }
  for (Captured& captured : inner.captured) {
    DF_ASSIGN(const GradientValue sum, Accumulate(outer, inner, captured.value, captured.parts, captured.value));
    DF_TRY(AddPart(outer, captured.value, sum, forward_->branches.OfLoop(frame)));
  }
  if (loops_[frame].is_awaited) {
    DF_ASSIGN(loops_[frame].finished, inner.scope.Finished());
  }
  return inner.scope.Close();
}

Result<std::vector<const LoopVariable*>> Differentiation::ActiveVariables(const ForwardLoop& loop) const {
  std::vector<const LoopVariable*> active;
  for (const LoopVariable& variable : loop.variables) {
    if (!dependency_.IsBetween(variable.merge)) continue;
    if (graph_.dtype({variable.merge, 0}) == DType::kResource) {
      return Unimplemented(graph_.Describe(variable.merge),
                           ": the gradient of a variable whose handle changes in a loop; the path is ",
                           dependency_.PathThrough(variable.merge));
    }
    active.push_back(&variable);
  }
  return active;
}

bool Differentiation::IsReached(int32_t frame, const std::vector<const LoopVariable*>& active) const {
  return loops_[frame].is_reached || std::any_of(active.begin(), active.end(), [&](const LoopVariable* variable) {
           return std::any_of(variable->exits.begin(), variable->exits.end(), [&](NodeId exit) {
             return !parts_[dependency_.Index({exit, 0})].empty();
           });
         });
}

Result<Differentiation::Active> Differentiation::BeginVariable(FrameGradient& outer, FrameGradient& inner,
                                                               const LoopVariable& variable) {
  std::vector<GradientValue> parts;
  for (NodeId exit : variable.exits) {
    const std::vector<GradientValue>& more = PartsOf({exit, 0});
    parts.insert(parts.end(), more.begin(), more.end());
  }
  DF_ASSIGN(const Output last, inner.scope.FinalValue(variable));
  NodeAdder adder = AdderFor(outer, variable.merge, graph_.node(variable.merge).name);
  Output initial;
  if (parts.empty()) {
    DF_ASSIGN(initial, Zeros(adder, last, graph_.dtype(last)));
  } else {
    DF_ASSIGN(const GradientValue sum, Sum(outer, parts, last));
    DF_ASSIGN(initial, Dense(adder, sum, last));
  }
  Active active{&variable, {}};
  DF_ASSIGN(active.gradient, inner.scope.AddVariable(initial, graph_.shape({variable.merge, 0})));
  const Output next = graph_.node(variable.next_iteration).inputs[0];
  const GradientValue part = GradientValue::Dense(active.gradient.inside);
  DF_TRY(AddPart(inner, next, part, forward_->branches.OfNode(variable.next_iteration)));
  return active;
}

Status Differentiation::EndVariable(FrameGradient& inner, const Active& active) {
  const Output merge{active.variable->merge, 0};
  NodeAdder adder = AdderFor(inner, merge.node, graph_.node(merge.node).name);
  Output next;
  if (PartsOf(merge).empty()) {
    DF_ASSIGN(next, Zeros(adder, merge, graph_.dtype(merge)));
  } else {
    DF_ASSIGN(const GradientValue sum, Sum(inner, PartsOf(merge), merge));
    DF_ASSIGN(next, Dense(adder, sum, merge));
  }
  DF_TRY(inner.scope.SetNext(active.gradient, next));
  const Output enter{active.variable->enter, 0};
  if (dependency_.DependsOnX(enter)) PartsOf(enter).push_back(GradientValue::Dense(active.gradient.result));
  return Status();
}

Result<GradientValue> Differentiation::Accumulate(FrameGradient& outer, FrameGradient& inner, Output outer_value,
                                                  std::vector<GradientValue>& parts, Output inner_value) {
  NodeAdder inner_adder = AdderFor(inner, inner_value.node, SiteOf(graph_, parts[0]));
  DF_ASSIGN(const GradientValue sum, Sum(inner, parts, inner_value));
  DF_ASSIGN(const Output part, Dense(inner_adder, sum, inner_value));
  NodeAdder outer_adder = AdderFor(outer, inner_value.node, SiteOf(graph_, parts[0]));
  DF_ASSIGN(const Output zeros, Zeros(outer_adder, outer_value, graph_.dtype(part)));
  const bool is_handle = graph_.dtype(outer_value) == DType::kResource;
  const PartialShape shape = is_handle ? graph_.HandleShape(outer_value) : graph_.shape(outer_value);
  DF_ASSIGN(const GradientScope::Variable total, inner.scope.AddVariable(zeros, shape));
  const bool is_variant = graph_.dtype(part) == DType::kVariant;
  const Output added = inner_adder.Add(is_variant ? "AddN" : "AddV2", {total.inside, part});
  DF_TRY(inner_adder.status());
  DF_TRY(inner.scope.SetNext(total, added));
  return GradientValue::Dense(total.result);
}

}  // namespace dfrun
