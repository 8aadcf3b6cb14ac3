// Trigonometric and hyperbolic functions and their inverses.
#include "kernels/math/functions/gradients.h"
#include "kernels/math/functions/signatures.h"

namespace dfrun {
namespace {

// 1 + sign * x^2.
Output OnePlusSquare(GradientBuilder& g, double sign, Output x) {
  return g.Op(sign > 0 ? "AddV2" : "Sub", g.ScalarLike(x, 1), g.Op("Square", x));
}

// dy divided by a function of the result, which is conjugated first.
GradientFn OverFunctionOfResult(const char* function) {
  return [function](GradientBuilder& g) { g.dx(0) = g.Op("RealDiv", g.dy(0), g.Op(function, Conj(g, g.y(0)))); };
}

OP("Sin")
    .As(UnaryOp<kComplexFloats>)
    .Gradient(TimesDerivative([](GradientBuilder& g, Output x) -> Output { return g.Op("Cos", x); }))
    .Doc("The sine, element by element.");

OP("Cos")
    .As(UnaryOp<kComplexFloats>)
    .Gradient(TimesDerivative([](GradientBuilder& g, Output x) -> Output { return g.Op("Neg", g.Op("Sin", x)); }))
    .Doc("The cosine, element by element.");

OP("Tan")
    .As(UnaryOp<kComplexFloats>)
    .Gradient(TimesDerivative([](GradientBuilder& g, Output x) -> Output {
      return g.Op("Square", g.Op("Reciprocal", g.Op("Cos", x)));
    }))
    .Doc("The tangent, element by element.");

OP("Asin")
    .As(UnaryOp<kComplexFloats>)
    .Gradient(TimesDerivative([](GradientBuilder& g, Output x) -> Output {
      return g.Op("Rsqrt", OnePlusSquare(g, -1, x));
    }))
    .Doc("The inverse of the sine, in [-pi/2, pi/2].");

OP("Acos")
    .As(UnaryOp<kComplexFloats>)
    .Gradient(TimesDerivative([](GradientBuilder& g, Output x) -> Output {
      return g.Op("Neg", g.Op("Rsqrt", OnePlusSquare(g, -1, x)));
    }))
    .Doc("The inverse of the cosine, in [0, pi].");

OP("Atan")
    .As(UnaryOp<kComplexFloats>)
    .Gradient(TimesDerivative([](GradientBuilder& g, Output x) -> Output {
      return g.Op("Reciprocal", OnePlusSquare(g, 1, x));
    }))
    .Doc("The inverse of the tangent, in [-pi/2, pi/2].");

OP("Sinh")
    .As(UnaryOp<kComplexFloats>)
    .Gradient(TimesDerivative([](GradientBuilder& g, Output x) -> Output { return g.Op("Cosh", x); }))
    .Doc("The hyperbolic sine, element by element.");

OP("Cosh")
    .As(UnaryOp<kComplexFloats>)
    .Gradient(TimesDerivative([](GradientBuilder& g, Output x) -> Output { return g.Op("Sinh", x); }))
    .Doc("The hyperbolic cosine, element by element.");

OP("Tanh")
    .As(UnaryOp<kComplexFloats>)
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("TanhGrad", Conj(g, g.y(0)), g.dy(0)); })
    .ComputesEach(UnaryLoopOf(ElementwiseLoop::kTanh))
    .Doc("The hyperbolic tangent, element by element.");

OP("Asinh")
    .As(UnaryOp<kComplexFloats>)
    .Gradient(OverFunctionOfResult("Cosh"))
    .Doc("The inverse of the hyperbolic sine.");

OP("Acosh")
    .As(UnaryOp<kComplexFloats>)
    .Gradient(OverFunctionOfResult("Sinh"))
    .Doc("The inverse of the hyperbolic cosine.");

OP("Atanh")
    .As(UnaryOp<kComplexFloats>)
    .Gradient(TimesDerivative([](GradientBuilder& g, Output x) -> Output {
      return g.Op("Reciprocal", OnePlusSquare(g, -1, x));
    }))
    .Doc("The inverse of the hyperbolic tangent.");

}  // namespace
}  // namespace dfrun
