// The gradients of conditionals: a Switch's is a Merge, a Merge's a Switch on the same predicate.
#include <optional>
#include <utility>

#include "src/autodiff/differentiation.h"
#include "src/autodiff/gradient_sum.h"

namespace dfrun {

Status Differentiation::VisitSwitch(FrameGradient& current, NodeId id, const std::vector<GradientValue>& dys) {
  const Node& node = graph_.node(id);
  const Output data = node.inputs[0];
  if (IsLoopSwitch(graph_, node)) {
    // VisitLoop() handles the value that leaves the loop, which is a variable's last one.
    return dys[1].exists ? AddPart(current, data, dys[1], forward_->branches.OfNode(id)) : Status();
  }
  const BranchId whole = forward_->branches.OfNode(id);
  if (!dys[0].exists || !dys[1].exists) {
    const int side = dys[0].exists ? 0 : 1;
    return AddPart(current, data, dys[side], forward_->branches.Of({id, side}));
  }
  NodeAdder adder = AdderFor(current, id, node.name);
  GradientValue sides[2] = {dys[0], dys[1]};
  for (int side : {0, 1}) {
    if (!sides[side].is_sparse) continue;
    const std::vector<Branches::PathCondition>& alive = forward_->branches.literals(forward_->branches.Of({id, side}));
    DF_ASSIGN(sides[side].indices, current.scope.Gate(sides[side].indices, alive));
  }
  DF_ASSIGN(const GradientValue merged, MergeTwo(adder, sides[0], sides[1], data));
  return AddPart(current, data, merged, whole);
}

Status Differentiation::VisitMerge(FrameGradient& current, NodeId id, const GradientValue& dy) {
  const Node& node = graph_.node(id);
  const Branches::Choice& choice = forward_->branches.ChoiceOf(id);
  if (!choice.pred.valid() && !current.scope.is_root()) {
    return Unimplemented("in a loop, the gradient of a Merge of other than the two sides of one predicate");
  }
  NodeAdder adder = AdderFor(current, id, node.name);
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (!dependency_.DependsOnX(node.inputs[i])) continue;
    Output pred = choice.pred;
    bool side = true;
    if (pred.valid()) {
      side = choice.values[static_cast<size_t>(i)];
    } else {
      pred = adder.Add("Equal", {{id, 1}, adder.Const(Tensor::Scalar<int32_t>(i))});
    }
    const auto switched = [&](Output value) { return Output{adder.Add("Switch", {value, pred}).node, side ? 1 : 0}; };
    const GradientValue part = dy.is_sparse ? GradientValue::Sparse(switched(dy.indices), switched(dy.values))
                                            : GradientValue::Dense(switched(dy.dense));
    DF_TRY(adder.status());
    DF_TRY(AddPart(current, node.inputs[i], part, forward_->branches.Of(node.inputs[i])));
  }
  return Status();
}

Result<GradientValue> Differentiation::MergeTwo(NodeAdder& adder, GradientValue a, GradientValue b, Output value) {
  const auto merge = [&](Output x, Output y) { return Output(adder.Add("Merge", {x, y})); };
  if (a.is_sparse && b.is_sparse && graph_.dtype(a.indices) == graph_.dtype(b.indices)) {
    const Output indices = merge(a.indices, b.indices);
    const GradientValue merged = GradientValue::Sparse(indices, merge(a.values, b.values));
    DF_TRY(adder.status());
    return merged;
  }
  for (GradientValue* side : {&a, &b}) {
    if (side->is_sparse) *side = GradientValue::Dense(ScatterToDense(graph_, adder, *side, value));
  }
  const GradientValue merged = GradientValue::Dense(merge(a.dense, b.dense));
  DF_TRY(adder.status());
  return merged;
}

Result<std::optional<GradientValue>> Differentiation::NoRows(FrameGradient& current, NodeAdder& adder,
                                                             const GradientValue& like,
                                                             const std::vector<Branches::PathCondition>& literals) {
  PartialShape rows = graph_.shape(like.values);
  if (rows.rank() < 1) return std::optional<GradientValue>();
  rows.set_dim(0, 0);
  if (!rows.IsFullyDefined()) return std::optional<GradientValue>();
  DF_ASSIGN(const Shape shape, rows.ToShape());
  const Output indices = adder.Const(Tensor(graph_.dtype(like.indices), Shape({0})));
  const Output values = adder.Const(Tensor(graph_.dtype(like.values), shape));
  DF_TRY(adder.status());
  DF_ASSIGN(const Output gated_indices, current.scope.Gate(indices, literals));
  DF_ASSIGN(const Output gated_values, current.scope.Gate(values, literals));
  return std::optional<GradientValue>(GradientValue::Sparse(gated_indices, gated_values));
}

Result<GradientValue> Differentiation::Lift(FrameGradient& current, GradientValue part, BranchId from, BranchId to,
                                            Output value) {
  NodeAdder adder = AdderFor(current, value.node, SiteOf(graph_, part));
  while (true) {
    const std::vector<Branches::PathCondition> beyond = forward_->branches.Difference(to, from);
    if (beyond.empty()) break;
    // The part is zeros where all other literals hold and the last does not, so one literal less is needed.
    Branches::PathCondition last = beyond.back();
    BranchId rest = to;
    for (size_t i = 0; i + 1 < beyond.size(); ++i) rest = forward_->branches.With(rest, beyond[i]);
    last.value = !last.value;
    const std::vector<Branches::PathCondition> elsewhere =
        forward_->branches.literals(forward_->branches.With(rest, last));
    const BranchId alive = std::exchange(from, rest);
    if (part.is_sparse) {
      // Row numbers may be constants, which no branch makes dead.
      DF_ASSIGN(part.indices, current.scope.Gate(part.indices, forward_->branches.literals(alive)));
      DF_ASSIGN(const std::optional<GradientValue> none, NoRows(current, adder, part, elsewhere));
      if (none) {
        DF_ASSIGN(part, MergeTwo(adder, part, *none, value));
        continue;
      }
    }
    DF_ASSIGN(const Output dense, Dense(adder, part, value));
    Output zeros;
    if (current.scope.is_root()) {
      DF_ASSIGN(const Output gated, current.scope.Gate(value, elsewhere));
      DF_ASSIGN(zeros, Zeros(adder, gated, graph_.dtype(dense)));
    } else {
      DF_ASSIGN(const Output all, Zeros(adder, value, graph_.dtype(dense)));
      DF_ASSIGN(zeros, current.scope.Gate(all, elsewhere));
    }
    DF_ASSIGN(part, MergeTwo(adder, GradientValue::Dense(dense), GradientValue::Dense(zeros), value));
  }
  DF_TRY(adder.status());
  return part;
}

Result<Output> Differentiation::Zeros(NodeAdder& adder, Output like, DType dtype) {
  Output zeros;
  if (graph_.dtype(like) == DType::kResource) {
    const Output shape = adder.Add("VariableShape", {like});
    zeros = adder.Add("Fill", {shape, adder.Scalar(dtype, 0)});
  } else {
    zeros = adder.Add("ZerosLike", {like});
  }
  DF_TRY(adder.status());
  return zeros;
}

Result<Output> Differentiation::Dense(NodeAdder& adder, const GradientValue& value, Output like) {
  if (!value.is_sparse) return value.dense;
  const Output dense = ScatterToDense(graph_, adder, value, like);
  DF_TRY(adder.status());
  return dense;
}

}  // namespace dfrun
