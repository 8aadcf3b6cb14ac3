#include <cmath>

#include "kernels/array/int_values.h"
#include "kernels/random/random_op.h"

namespace dfrun {
namespace {

// The sums of the exponentials of a row, then for each draw a number and a search of the row.
OpCost MultinomialCost(const CostContext& c) {
  const double classes = c.input_dim(0, -1);
  const double draw = random_op::kRandomFlops + (classes > 1 ? std::log2(classes) : classes * 0);
  return WholeCost(c, 4 * c.input_elements(0) + draw * c.output_elements(0));
}

Status MultinomialShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape logits, c.WithRank(0, 2));
  DF_TRY(c.WithRank(1, 0).status());
  DF_ASSIGN(const auto samples, KnownIntScalar(c, 1, "num_samples"));
  if (samples && *samples < 0) return InvalidArgument("num_samples is ", *samples, ", but must not be negative");
  c.set_output(0, PartialShape({logits.dim(0), samples.value_or(PartialShape::kUnknown)}));
  return Status();
}

Status StatelessMultinomialShape(InferenceContext& c) {
  DF_TRY(random_op::CheckVector(c, 2, 2));
  return MultinomialShape(c);
}

void DrawsOfClasses(OpBuilder& op) {
  op.Input("logits: T").Input("num_samples: int32").Output("output: output_dtype");
  op.Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}");
  op.Attr("output_dtype: {int32, int64} = int64").GradientEnds(GradientFlow::kDraw, {"logits"});
}

}  // namespace

OP("Multinomial")
    .As(DrawsOfClasses)
    .As(random_op::StatefulSource)
    .Shape(MultinomialShape)
    .Cost(&MultinomialCost)
    .Doc("Classes drawn with probabilities in proportion to exp(logits), num_samples for each row.");

OP("StatelessMultinomial")
    .As(DrawsOfClasses)
    .As(random_op::SeedInput)
    .Attr("Tseed: {int32, int64} = int64")
    .Shape(StatelessMultinomialShape)
    .Cost(&MultinomialCost)
    .Doc("Classes drawn with probabilities in proportion to exp(logits), which the seed fixes.");

}  // namespace dfrun
