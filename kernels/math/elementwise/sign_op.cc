// Signs, rounding and tests of single elements.
#include "kernels/math/functions/gradients.h"
#include "kernels/math/functions/signatures.h"

namespace dfrun {
namespace {

OP("Abs")
    .As(UnaryOp<kFloatsAndSigned>)
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Mul", g.dy(0), g.Op("Sign", g.x(0))); })
    .ComputesEach(UnaryLoopOf(ElementwiseLoop::kAbs))
    .Doc("|x|, element by element.");

OP("Sign")
    .As(UnaryOp<kSignedNumbers>)
    .NotDifferentiable()
    .Doc("-1, 0 or 1 by the sign of x; of a complex number its direction.");

OP("Square")
    .As(UnaryOp<kUnquantized>)
    .Gradient(TimesDerivative([](GradientBuilder& g, Output x) -> Output {
      return g.Op("Mul", g.ScalarLike(x, 2), x);
    }))
    .ComputesEach(UnaryLoopOf(ElementwiseLoop::kSquare))
    .Doc("x * x, element by element.");

OP("Floor").As(UnaryOp<kFloats>).NotDifferentiable().Doc("The largest integer that is not above x.");
OP("Ceil").As(UnaryOp<kFloats>).NotDifferentiable().Doc("The smallest integer that is not below x.");
OP("Rint").As(UnaryOp<kFloats>).NotDifferentiable().Doc("The nearest integer, halves to even.");
OP("Round").As(UnaryOp<kSignedNumbers>).NotDifferentiable().Doc("The nearest integer, halves to even.");
OP("IsNan").As(UnaryTest<kFloats>).Doc("True where x is NaN.");
OP("IsInf").As(UnaryTest<kFloats>).Doc("True where x is infinite.");
OP("IsFinite").As(UnaryTest<kFloats>).Doc("True where x is neither infinite nor NaN.");

}  // namespace
}  // namespace dfrun
