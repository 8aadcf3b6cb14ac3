// Random tensors, each distribution in three forms: an op with a sequence of its own, one that is given a seed, and one
// that is given a generator's key and counter.
#include "kernels/random/random_op.h"

#include "kernels/array/int_values.h"

namespace dfrun {
namespace random_op {

Result<PartialShape> SpelledShape(InferenceContext& c) {
  DF_TRY(c.WithRank(0, 1).status());
  if (const Tensor* shape = c.input_value(0)) DF_TRY(ShapeValue(*shape, "the shape").status());
  return c.input_as_shape(0);
}

Status ShapeFromInput(InferenceContext& c) {
  DF_ASSIGN(PartialShape shape, SpelledShape(c));
  c.set_output(0, std::move(shape));
  return Status();
}

Status CheckVector(const InferenceContext& c, int i, int64_t size) {
  return c.input(i).Merge(PartialShape({size})).status();
}

Status CheckKey(const InferenceContext& c, int i) {
  DF_TRY(CheckVector(c, i, 1));
  DF_TRY(c.WithRank(i + 1, 1).status());
  return c.WithRank(i + 2, 0).status();
}

Status SeededShape(InferenceContext& c) {
  DF_TRY(CheckVector(c, 1, 2));
  return ShapeFromInput(c);
}

Status KeyedShape(InferenceContext& c) {
  DF_TRY(CheckKey(c, 1));
  return ShapeFromInput(c);
}

void StatefulSource(OpBuilder& op) {
  op.Attr("seed: int = 0").Attr("seed2: int = 0").Stateful().NotDifferentiable();
}

void SeedInput(OpBuilder& op) {
  op.Input("seed: Tseed").NotDifferentiable();
}

void KeyInputs(OpBuilder& op) {
  op.Input("key: uint64").Input("counter: uint64").Input("alg: int32").NotDifferentiable();
}

}  // namespace random_op

namespace {

using random_op::KeyedShape;
using random_op::SeededShape;
using random_op::ShapeFromInput;

// The two inputs after the others are bounds.
template <Status (*kRest)(InferenceContext&)>
Status WithScalarBounds(InferenceContext& c) {
  for (int i = c.num_inputs() - 2; i < c.num_inputs(); ++i) DF_TRY(c.WithRank(i, 0).status());
  return kRest(c);
}

void Floats(OpBuilder& op) {
  op.Input("shape: T").Output("output: dtype").Attr("dtype: {half, bfloat16, float, double}");
  op.Attr("T: {int32, int64}").As(random_op::StatefulSource).Shape(ShapeFromInput).Total();
}

void SeededFloats(OpBuilder& op) {
  op.Input("shape: T").As(random_op::SeedInput).Output("output: dtype");
  op.Attr("dtype: {half, bfloat16, float, double} = float");
  op.Attr("T: {int32, int64} = int32").Attr("Tseed: {int32, int64} = int64").Shape(SeededShape).Total();
}

void KeyedFloats(OpBuilder& op) {
  op.Input("shape: Tshape").As(random_op::KeyInputs).Output("output: dtype");
  op.Attr("dtype: {half, bfloat16, float, double} = float").Attr("Tshape: {int32, int64} = int32").Shape(KeyedShape);
}

}  // namespace

OP("RandomUniform").As(Floats).Cost(ElementwiseCost(random_op::kRandomFlops)).Doc("Uniform random numbers in [0, 1).");
OP("StatelessRandomUniform")
    .As(SeededFloats)
    .Cost(ElementwiseCost(random_op::kRandomFlops))
    .Doc("Uniform random numbers in [0, 1) that the seed fixes.");
OP("StatelessRandomUniformV2")
    .As(KeyedFloats)
    .Cost(ElementwiseCost(random_op::kRandomFlops))
    .Doc("Uniform random numbers in [0, 1) that key and counter of a generator fix.");

OP("RandomStandardNormal")
    .As(Floats)
    .Cost(ElementwiseCost(random_op::kNormalFlops))
    .Doc("Random numbers of the normal distribution with mean 0 and deviation 1.");
OP("StatelessRandomNormal")
    .As(SeededFloats)
    .Cost(ElementwiseCost(random_op::kNormalFlops))
    .Doc("Normal random numbers of mean 0 and deviation 1 that the seed fixes.");
OP("StatelessRandomNormalV2")
    .As(KeyedFloats)
    .Cost(ElementwiseCost(random_op::kNormalFlops))
    .Doc("Normal random numbers of mean 0 and deviation 1 that key and counter of a generator fix.");

OP("TruncatedNormal")
    .As(Floats)
    .Cost(ElementwiseCost(random_op::kNormalFlops))
    .Doc("Random numbers of the normal distribution, those beyond two deviations drawn again.");
OP("StatelessTruncatedNormal")
    .As(SeededFloats)
    .Cost(ElementwiseCost(random_op::kNormalFlops))
    .Doc("Normal random numbers that the seed fixes, those beyond two deviations drawn again.");
OP("StatelessTruncatedNormalV2")
    .As(KeyedFloats)
    .Cost(ElementwiseCost(random_op::kNormalFlops))
    .Doc("Normal random numbers that key and counter of a generator fix, those beyond two deviations drawn again.");

OP("RandomUniformInt")
    .Input("shape: T")
    .Input("minval: Tout")
    .Input("maxval: Tout")
    .Output("output: Tout")
    .Attr("Tout: {int32, int64}")
    .Attr("T: {int32, int64}")
    .As(random_op::StatefulSource)
    .Shape(WithScalarBounds<ShapeFromInput>)
    .Cost(ElementwiseCost(random_op::kRandomFlops))
    .Doc("Uniform random integers in [minval, maxval).");

OP("StatelessRandomUniformInt")
    .Input("shape: T")
    .As(random_op::SeedInput)
    .Input("minval: dtype")
    .Input("maxval: dtype")
    .Output("output: dtype")
    .Attr("dtype: {int32, int64}")
    .Attr("T: {int32, int64}")
    .Attr("Tseed: {int32, int64} = int64")
    .Shape(WithScalarBounds<SeededShape>)
    .Cost(ElementwiseCost(random_op::kRandomFlops))
    .Doc("Uniform random integers in [minval, maxval) that the seed fixes.");

OP("StatelessRandomUniformIntV2")
    .Input("shape: Tshape")
    .As(random_op::KeyInputs)
    .Input("minval: dtype")
    .Input("maxval: dtype")
    .Output("output: dtype")
    .Attr("dtype: {int32, int64, uint32, uint64}")
    .Attr("Tshape: {int32, int64} = int32")
    .Shape(WithScalarBounds<KeyedShape>)
    .Cost(ElementwiseCost(random_op::kRandomFlops))
    .Doc("Uniform random integers in [minval, maxval) that key and counter of a generator fix.");

OP("StatelessRandomUniformFullInt")
    .Input("shape: T")
    .As(random_op::SeedInput)
    .Output("output: dtype")
    .Attr("dtype: {int32, int64, uint32, uint64} = uint64")
    .Attr("T: {int32, int64} = int32")
    .Attr("Tseed: {int32, int64, uint32, uint64} = int64")
    .Shape(SeededShape)
    .Cost(ElementwiseCost(random_op::kRandomFlops))
    .Doc("Uniform random integers over the whole range of their type that the seed fixes.");

OP("StatelessRandomUniformFullIntV2")
    .Input("shape: Tshape")
    .As(random_op::KeyInputs)
    .Output("output: dtype")
    .Attr("dtype: {int32, int64, uint32, uint64} = uint64")
    .Attr("Tshape: {int32, int64} = int32")
    .Shape(KeyedShape)
    .Cost(ElementwiseCost(random_op::kRandomFlops))
    .Doc("Uniform random integers over the whole range of their type that key and counter of a generator fix.");

OP("RandomShuffle")
    .Input("value: T")
    .Output("output: T")
    .Attr("T: type")
    .As(random_op::StatefulSource)
    .Shape(SameAsInput(0))
    .GradientEnds(GradientFlow::kNone, {"value"})
    .Cost(CopyCost())
    .Doc("The rows of the value in random order.");

}  // namespace dfrun
