// Roots, exponentials and logarithms.
#include "kernels/math/gradients.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

OP("Sqrt")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("SqrtGrad", g.y(0), g.dy(0)); })
    .Doc("The square root, element by element.");

OP("Rsqrt")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("RsqrtGrad", g.y(0), g.dy(0)); })
    .Doc("1 / sqrt(x), element by element.");

OP("Reciprocal")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128, int8, int16, int32, int64}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("ReciprocalGrad", g.y(0), g.dy(0)); })
    .Doc("1 / x, element by element.");

OP("Inv")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128, int8, int16, int32, int64}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("InvGrad", g.y(0), g.dy(0)); })
    .Doc("1 / x, element by element.");

OP("Exp")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Mul", g.dy(0), Conj(g, g.y(0))); })
    .Doc("e to the power of x, element by element.");

OP("Expm1")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Mul", g.dy(0), g.Op("Exp", Conj(g, g.x(0)))); })
    .Doc("exp(x) - 1, exact near 0.");

OP("Log")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Mul", g.dy(0), g.Op("Reciprocal", Conj(g, g.x(0)))); })
    .Doc("The natural logarithm, element by element.");

OP("Log1p")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("Mul", g.dy(0), g.Op("Reciprocal", g.Op("AddV2", g.ScalarLike(g.x(0), 1), Conj(g, g.x(0)))));
    })
    .Doc("log(1 + x), exact near 0.");

OP("Sigmoid")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("SigmoidGrad", Conj(g, g.y(0)), g.dy(0)); })
    .Doc("1 / (1 + exp(-x)), element by element.");

OP("Erf")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) {
      g.dx(0) =
          g.Op("Mul", g.dy(0),
               g.Op("Mul", g.ScalarLike(g.x(0), 1.1283791670955126), g.Op("Exp", g.Op("Neg", g.Op("Square", g.x(0))))));
    })
    .Doc("The error function, element by element.");

OP("Erfc")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op(
          "Mul", g.dy(0),
          g.Op("Mul", g.ScalarLike(g.x(0), -1.1283791670955126), g.Op("Exp", g.Op("Neg", g.Op("Square", g.x(0))))));
    })
    .Doc("1 - erf(x), exact where it is small.");

}  // namespace
}  // namespace dfrun
