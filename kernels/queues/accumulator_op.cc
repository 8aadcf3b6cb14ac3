// Conditional accumulators: gradients of several workers, summed until there are enough.
#include "kernels/state/device_resource_op.h"
#include "kernels/state/state_ops.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// Adds input i to a sum of as many elements.
CostFn SummandCost(int i) {
  return [i](const CostContext& c) { return OpCost{c.input_elements(i), 2 * c.input_bytes(i), c.input_bytes(i)}; };
}

void OfNumbers(OpBuilder& op) {
  op.Attr(kNumericDtype);
}

void MakesAccumulator(OpBuilder& op) {
  op.As(OfNumbers).Attr("shape: shape").As(DeviceResource).Attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'");
  op.Doc("Sums gradients; those computed from a step before its own are left out.");
}

void Applies(OpBuilder& op) {
  op.Input("local_step: int64")
      .Input("gradient: dtype")
      .As(OfNumbers)
      .GradientEnds(GradientFlow::kState)
      .Cost(SummandCost(2));
  op.Waits(WaitKind::kPut);
  op.Shape([](InferenceContext& c) { return c.WithRank(1, 0).status(); });
  op.Doc("Adds a gradient that was computed at `local_step`, unless the accumulator is at a later one.");
}

void Takes(OpBuilder& op) {
  op.Input("num_required: int32")
      .Output("average: dtype")
      .As(OfNumbers)
      .GradientEnds(GradientFlow::kState)
      .Waits(WaitKind::kTake);
  op.Shape([](InferenceContext& c) { return c.WithRank(1, 0).status(); });
  op.Doc("Waits for num_required gradients, gives their mean or sum, forgets them and goes on to the next step.");
}

void SetsStep(OpBuilder& op) {
  op.Input("new_global_step: int64").NotDifferentiable();
  op.Shape([](InferenceContext& c) { return c.WithRank(1, 0).status(); });
  op.Doc("Sets the step below which gradients are left out.");
}

void GivesCount(OpBuilder& op) {
  op.Output("num_accumulated: int32").NotDifferentiable().Shape(ScalarOutputs());
  op.Doc("The number of gradients that have been summed.");
}

OP("ConditionalAccumulator").Output("handle: Ref(string)").As(MakesAccumulator).Shape(ReferenceHandleShape);
OP("AccumulatorApplyGradient").Input("handle: Ref(string)").As(Applies);
OP("AccumulatorTakeGradient").Input("handle: Ref(string)").As(Takes);
OP("AccumulatorSetGlobalStep").Input("handle: Ref(string)").As(SetsStep);
OP("AccumulatorNumAccumulated").Input("handle: Ref(string)").As(GivesCount);

OP("SparseConditionalAccumulator").Output("handle: Ref(string)").As(MakesAccumulator).Shape(ReferenceHandleShape);
OP("SparseAccumulatorApplyGradient")
    .Input("handle: Ref(string)")
    .Input("local_step: int64")
    .Input("gradient_indices: int64")
    .Input("gradient_values: dtype")
    .Input("gradient_shape: int64")
    .As(OfNumbers)
    .Attr("has_known_shape: bool")
    .Shape([](InferenceContext& c) { return c.WithRank(1, 0).status(); })
    .Cost(SummandCost(3))
    .Waits(WaitKind::kPut)
    .GradientEnds(GradientFlow::kState)
    .Doc("Adds slices of a gradient that was computed at `local_step`, unless the accumulator is at a later one.");
OP("SparseAccumulatorTakeGradient")
    .Input("handle: Ref(string)")
    .Input("num_required: int32")
    .Output("indices: int64")
    .Output("values: dtype")
    .Output("shape: int64")
    .As(OfNumbers)
    .Shape([](InferenceContext& c) { return c.WithRank(1, 0).status(); })
    .Waits(WaitKind::kTake)
    .GradientEnds(GradientFlow::kState)
    .Doc(
        "Waits for num_required gradients, gives the mean or sum of each slice, and forgets them as the dense one "
        "does.");

OP("ResourceConditionalAccumulator").Output("handle: resource").As(MakesAccumulator).Shape(ScalarOutputs());
OP("ResourceAccumulatorApplyGradient").Input("handle: resource").As(Applies).Stateful();
OP("ResourceAccumulatorTakeGradient").Input("handle: resource").As(Takes).Stateful();
OP("ResourceAccumulatorSetGlobalStep").Input("handle: resource").As(SetsStep).Stateful();
OP("ResourceAccumulatorNumAccumulated").Input("handle: resource").As(GivesCount).Stateful();

}  // namespace
}  // namespace dfrun
