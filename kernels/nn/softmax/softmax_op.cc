// Softmax, LogSoftmax and the cross entropies that are computed with them.
#include "kernels/math/functions/gradients.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

// The largest of a row, differences, exponentials, their sum, quotients (or differences of logarithms).
constexpr double kSoftmaxFlops = 5;

constexpr const char* kFloatT = "T: {half, bfloat16, float, double}";

Status SoftmaxShape(InferenceContext& c) {
  DF_ASSIGN(PartialShape logits, c.WithRankAtLeast(0, 1));
  c.set_output(0, std::move(logits));
  return Status();
}

Output SumOfRows(GradientBuilder& g, Output x) {
  return g.Op("Sum", {{"keep_dims", true}}, x, g.Const({int32_t{-1}}));
}

// y (dy - sum(y dy)).
Output SoftmaxGradient(GradientBuilder& g, Output y, Output dy) {
  return g.Op("Mul", y, g.Op("Sub", dy, SumOfRows(g, g.Op("Mul", y, dy))));
}

// The losses are one a row; their gradients apply to whole rows.
Output AsColumn(GradientBuilder& g, Output losses) {
  return g.Op("ExpandDims", losses, g.Const(Tensor::Scalar<int32_t>(-1)));
}

// Output 1 is the gradient of the loss by the logits, computed on the way. Where it is itself differentiated, the
// second derivative is that of the softmax, whatever the labels.
Output LogitsGradient(GradientBuilder& g) {
  const Output first = g.Op("Mul", AsColumn(g, g.dy(0)), g.y(1));
  if (!g.has_dy(1)) return first;
  return g.Op("AddV2", first, SoftmaxGradient(g, g.Op("Softmax", g.x(0)), g.dy(1)));
}

// Summed where known shapes say that the input was repeated.
void SetRepeatedGradient(GradientBuilder& g, int input, Output grad) {
  const PartialShape shape = g.shape(g.x(input));
  const PartialShape both = g.shape(g.y(1));
  if (shape.IsFullyDefined() && both.IsFullyDefined() && !(shape == both)) {
    SetSummedGradient(g, input, grad, g.y(1));
  } else {
    g.dx(input) = grad;
  }
}

// The third input of an op that scales its gradient, where it has one.
Status CheckScales(InferenceContext& c, const PartialShape& backprop) {
  if (c.num_inputs() < 3) return Status();
  return c.input(2).Merge(PartialShape({backprop.dim(0), 1})).status();
}

Status CrossEntropyShape(InferenceContext& c) {
  const auto matrix_or = [&](int i) { return c.input(i).known_rank() ? c.input(i) : PartialShape::UnknownOfRank(2); };
  DF_ASSIGN(PartialShape both, BroadcastShapes(matrix_or(0), matrix_or(1)));
  DF_ASSIGN(both, both.Merge(PartialShape::UnknownOfRank(2)));
  c.set_output(0, PartialShape({both.dim(0)}));
  c.set_output(1, both);
  return CheckScales(c, both);
}

Status SparseCrossEntropyShape(InferenceContext& c) {
  DF_ASSIGN(PartialShape features, c.WithRank(0, 2));
  DF_ASSIGN(const PartialShape labels, c.WithRank(1, 1));
  DF_ASSIGN(const PartialShape rows, labels.Merge(PartialShape({features.dim(0)})));
  features.set_dim(0, rows.dim(0));
  c.set_output(0, rows);
  c.set_output(1, features);
  return CheckScales(c, features);
}

}  // namespace

OP("Softmax")
    .Input("logits: T")
    .Output("softmax: T")
    .Attr(kFloatT)
    .Alias("SoftMax")
    .Shape(&SoftmaxShape)
    .Gradient([](GradientBuilder& g) { g.dx(0) = SoftmaxGradient(g, g.y(0), g.dy(0)); })
    .Cost(ElementwiseCost(kSoftmaxFlops))
    .Total()
    .Rows(RowsOfRank(2))
    .Doc("exp(logits) / sum(exp(logits)) along the last dimension.");

OP("LogSoftmax")
    .Input("logits: T")
    .Output("logsoftmax: T")
    .Attr(kFloatT)
    .Shape(&SoftmaxShape)
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("Sub", g.dy(0), g.Op("Mul", g.Op("Exp", g.y(0)), SumOfRows(g, g.dy(0))));
    })
    .Cost(ElementwiseCost(kSoftmaxFlops))
    .Total()
    .Rows(RowsOfRank(2))
    .Doc("logits - log(sum(exp(logits))) along the last dimension.");

OP("SoftmaxCrossEntropyWithLogits")
    .Input("features: T")
    .Input("labels: T")
    .Output("loss: T")
    .Output("backprop: T")
    .Attr(kFloatT)
    .Shape(&CrossEntropyShape)
    .Gradient([](GradientBuilder& g) {
      SetRepeatedGradient(g, 0, LogitsGradient(g));
      const Output by_loss = g.Op("Neg", g.Op("Mul", AsColumn(g, g.dy(0)), g.Op("LogSoftmax", g.x(0))));
      SetRepeatedGradient(g, 1, g.has_dy(1) ? g.Op("Sub", by_loss, g.dy(1)) : by_loss);
    })
    .Cost(ScanCost(0, 8))
    .Total()
    .Rows(RowsOfInputs({0, 1}))
    .Doc(
        "Of each row the cross entropy between the distribution `labels` and the softmax of `features`, and its "
        "gradient by the features. A side of size 1 is repeated.");

OP("SparseSoftmaxCrossEntropyWithLogits")
    .Input("features: T")
    .Input("labels: Tlabels")
    .Output("loss: T")
    .Output("backprop: T")
    .Attr(kFloatT)
    .Attr("Tlabels: {int32, int64} = int64")
    .Shape(&SparseCrossEntropyShape)
    .Gradient([](GradientBuilder& g) { g.dx(0) = LogitsGradient(g); })
    .Cost(ScanCost(0, 5))
    .Rows(RowsOfInputs({0, 1}))
    .Doc(
        "Of each row the cross entropy between the class labels[row] and the softmax of `features`, and its gradient "
        "by "
        "the features.");

}  // namespace dfrun
