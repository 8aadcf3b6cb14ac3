// Roots, exponentials and logarithms.
#include "kernels/math/functions/gradients.h"
#include "kernels/math/functions/signatures.h"

namespace dfrun {
namespace {

OP("Sqrt")
    .As(UnaryOp<kComplexFloats>)
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("SqrtGrad", g.y(0), g.dy(0)); })
    .ComputesEach(UnaryLoopOf(ElementwiseLoop::kSqrt))
    .Doc("The square root, element by element.");

OP("Rsqrt")
    .As(UnaryOp<kComplexFloats>)
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("RsqrtGrad", g.y(0), g.dy(0)); })
    .ComputesEach(UnaryLoopOf(ElementwiseLoop::kRsqrt))
    .Doc("1 / sqrt(x), element by element.");

OP("Reciprocal")
    .As(UnaryOp<kSignedNumbers>)
    .TotalButForIntegers()
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("ReciprocalGrad", g.y(0), g.dy(0)); })
    .Doc("1 / x, element by element.");

OP("Inv")
    .As(UnaryOp<kSignedNumbers>)
    .TotalButForIntegers()
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("InvGrad", g.y(0), g.dy(0)); })
    .Doc("1 / x, element by element.");

OP("Exp")
    .As(UnaryOp<kComplexFloats>)
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Mul", g.dy(0), Conj(g, g.y(0))); })
    .ComputesEach(UnaryLoopOf(ElementwiseLoop::kExp))
    .Doc("e to the power of x, element by element.");

OP("Expm1")
    .As(UnaryOp<kComplexFloats>)
    .Gradient(TimesDerivative([](GradientBuilder& g, Output x) -> Output { return g.Op("Exp", x); }))
    .Doc("exp(x) - 1, exact near 0.");

OP("Log")
    .As(UnaryOp<kComplexFloats>)
    .Gradient(TimesDerivative([](GradientBuilder& g, Output x) -> Output { return g.Op("Reciprocal", x); }))
    .ComputesEach(UnaryLoopOf(ElementwiseLoop::kLog))
    .Doc("The natural logarithm, element by element.");

OP("Log1p")
    .As(UnaryOp<kComplexFloats>)
    .Gradient(TimesDerivative([](GradientBuilder& g, Output x) -> Output {
      return g.Op("Reciprocal", g.Op("AddV2", g.ScalarLike(x, 1), x));
    }))
    .Doc("log(1 + x), exact near 0.");

OP("Sigmoid")
    .As(UnaryOp<kComplexFloats>)
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("SigmoidGrad", Conj(g, g.y(0)), g.dy(0)); })
    .ComputesEach(UnaryLoopOf(ElementwiseLoop::kSigmoid))
    .Doc("1 / (1 + exp(-x)), element by element.");

constexpr double kTwoOverRootPi = 1.1283791670955126;

Output ScaledBell(GradientBuilder& g, double scale, Output x) {
  return g.Op("Mul", g.ScalarLike(x, scale), g.Op("Exp", g.Op("Neg", g.Op("Square", x))));
}

OP("Erf")
    .As(UnaryOp<kFloats>)
    .Gradient(TimesDerivative([](GradientBuilder& g, Output x) { return ScaledBell(g, kTwoOverRootPi, x); }))
    .ComputesEach(UnaryLoopOf(ElementwiseLoop::kErf))
    .Doc("The error function, element by element.");

OP("Erfc")
    .As(UnaryOp<kFloats>)
    .Gradient(TimesDerivative([](GradientBuilder& g, Output x) { return ScaledBell(g, -kTwoOverRootPi, x); }))
    .ComputesEach(UnaryLoopOf(ElementwiseLoop::kErfc))
    .Doc("1 - erf(x), exact where it is small.");

}  // namespace
}  // namespace dfrun
