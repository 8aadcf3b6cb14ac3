// Random tensors. Each op counts on in one sequence of numbers that its seeds fix.
#include "kernels/array/int_values.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

Status ShapeFromInput(InferenceContext& c) {
  DF_TRY(c.WithRank(0, 1).status());
  if (const Tensor* shape = c.input_value(0)) DF_TRY(ShapeValue(*shape, "the shape").status());
  c.set_output(0, c.input_as_shape(0));
  return Status();
}

OP("RandomUniform")
    .Input("shape: T")
    .Output("output: dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("dtype: {half, bfloat16, float, double}")
    .Attr("T: {int32, int64}")
    .Stateful()
    .Shape(ShapeFromInput)
    .NotDifferentiable()
    .Doc("Uniform random numbers in [0, 1).");

OP("RandomUniformInt")
    .Input("shape: T")
    .Input("minval: Tout")
    .Input("maxval: Tout")
    .Output("output: Tout")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("Tout: {int32, int64}")
    .Attr("T: {int32, int64}")
    .Stateful()
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(c.WithRank(1, 0).status());
      DF_TRY(c.WithRank(2, 0).status());
      return ShapeFromInput(c);
    })
    .NotDifferentiable()
    .Doc("Uniform random integers in [minval, maxval).");

OP("RandomStandardNormal")
    .Input("shape: T")
    .Output("output: dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("dtype: {half, bfloat16, float, double}")
    .Attr("T: {int32, int64}")
    .Stateful()
    .Shape(ShapeFromInput)
    .NotDifferentiable()
    .Doc("Random numbers of the normal distribution with mean 0 and deviation 1.");

OP("TruncatedNormal")
    .Input("shape: T")
    .Output("output: dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("dtype: {half, bfloat16, float, double}")
    .Attr("T: {int32, int64}")
    .Stateful()
    .Shape(ShapeFromInput)
    .NotDifferentiable()
    .Doc("Random numbers of the normal distribution, those beyond two deviations drawn again.");

OP("RandomShuffle")
    .Input("value: T")
    .Output("output: T")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("T: type")
    .Stateful()
    .Shape(SameAsInput(0))
    .NotDifferentiable()
    .Doc("The rows of the value in random order.");

}  // namespace
}  // namespace dfrun
