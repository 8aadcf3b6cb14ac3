// Samples of distributions with a tensor of parameters.
#include "kernels/random/random_op.h"

namespace dfrun {
namespace {

using random_op::SpelledShape;

// The spelled shape, then that of the parameters.
Status SamplesOfEach(InferenceContext& c) {
  DF_ASSIGN(PartialShape shape, SpelledShape(c));
  const PartialShape& parameters = c.input(1);
  if (!shape.known_rank() || !parameters.known_rank()) return Status();
  for (int64_t size : parameters.dims()) shape.Append(size);
  c.set_output(0, std::move(shape));
  return Status();
}

// The sum of dy dx/dalpha over the dimensions that the parameters lack; there are `count` of them, and they lead.
void SumOverSamples(GradientBuilder& g, Output alpha, int alpha_input, Output count) {
  const Output slopes = g.Op("RandomGammaGrad", alpha, g.y(0));
  const Output axes = g.Op("Range", g.Const(Tensor::Scalar<int32_t>(0)), count, g.Const(Tensor::Scalar<int32_t>(1)));
  g.dx(alpha_input) = g.Op("Sum", g.Op("Mul", g.dy(0), slopes), axes);
}

void GammaGradient(GradientBuilder& g) {
  SumOverSamples(g, g.x(1), 1, g.Op("Size", g.x(0)));
}

template <int kAlpha>
void StatelessGammaGradient(GradientBuilder& g) {
  SumOverSamples(g, g.x(kAlpha), kAlpha, g.Op("Sub", g.Op("Size", g.x(0)), g.Op("Rank", g.x(kAlpha))));
}

}  // namespace

OP("RandomGamma")
    .Input("shape: S")
    .Input("alpha: T")
    .Output("output: T")
    .Attr("S: {int32, int64}")
    .Attr("T: {half, float, double}")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Stateful()
    .Shape(SamplesOfEach)
    .Gradient(GammaGradient)
    .Cost(ElementwiseCost(random_op::kRejectionFlops))
    .Doc("Samples of the gamma distributions of shape `alpha` and scale 1, as many of each as `shape` has elements.");

OP("StatelessRandomGammaV2")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Input("alpha: dtype")
    .Output("output: dtype")
    .Attr("dtype: {half, float, double}")
    .Attr("T: {int32, int64}")
    .Attr("Tseed: {int32, int64} = int64")
    .Shape(random_op::SeededShape)
    .Gradient(StatelessGammaGradient<2>)
    .Cost(ElementwiseCost(random_op::kRejectionFlops))
    .Doc("Samples of gamma distributions that the seed fixes; `shape` ends with the shape of `alpha`.");

OP("StatelessRandomGammaV3")
    .Input("shape: shape_dtype")
    .Input("key: uint64")
    .Input("counter: uint64")
    .Input("alg: int32")
    .Input("alpha: dtype")
    .Output("output: dtype")
    .Attr("dtype: {half, float, double}")
    .Attr("shape_dtype: {int32, int64} = int32")
    .Shape(random_op::KeyedShape)
    .Gradient(StatelessGammaGradient<4>)
    .Cost(ElementwiseCost(random_op::kRejectionFlops))
    .Doc("Samples of gamma distributions that key and counter of a generator fix.");

OP("RandomGammaGrad")
    .Input("alpha: T")
    .Input("sample: T")
    .Output("output: T")
    .Attr("T: {float, double}")
    .Shape(BroadcastOfInputs())
    .Doc("The derivative of samples of the gamma distribution by its parameter alpha.");

OP("RandomPoissonV2")
    .Input("shape: S")
    .Input("rate: R")
    .Output("output: dtype")
    .Attr("S: {int32, int64}")
    .Attr("R: {half, float, double, int32, int64} = double")
    .Attr("dtype: {half, float, double, int32, int64} = int64")
    .As(random_op::StatefulSource)
    .Shape(SamplesOfEach)
    .GradientEnds(GradientFlow::kDraw, {"rate"})
    .Cost(ElementwiseCost(random_op::kRejectionFlops))
    .Doc("Samples of the Poisson distributions of these rates, as many of each as `shape` has elements.");

OP("StatelessRandomPoisson")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Input("lam: Rtype")
    .Output("output: dtype")
    .Attr("Rtype: {half, float, double, int32, int64}")
    .Attr("dtype: {half, float, double, int32, int64}")
    .Attr("T: {int32, int64}")
    .Attr("Tseed: {int32, int64} = int64")
    .Shape(random_op::SeededShape)
    .GradientEnds(GradientFlow::kDraw, {"lam"})
    .Cost(ElementwiseCost(random_op::kRejectionFlops))
    .Doc("Samples of Poisson distributions that the seed fixes; `shape` ends with the shape of `lam`.");

}  // namespace dfrun
