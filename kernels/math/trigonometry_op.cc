// Trigonometric and hyperbolic functions and their inverses.
#include "kernels/math/gradients.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

OP("Sin")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Mul", g.dy(0), g.Op("Cos", Conj(g, g.x(0)))); })
    .Doc("The sine, element by element.");

OP("Cos")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Mul", g.dy(0), g.Op("Neg", g.Op("Sin", Conj(g, g.x(0))))); })
    .Doc("The cosine, element by element.");

OP("Tan")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("Mul", g.dy(0), g.Op("Square", g.Op("Reciprocal", g.Op("Cos", Conj(g, g.x(0))))));
    })
    .Doc("The tangent, element by element.");

OP("Asin")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) {
      g.dx(0) =
          g.Op("Mul", g.dy(0), g.Op("Rsqrt", g.Op("Sub", g.ScalarLike(g.x(0), 1), g.Op("Square", Conj(g, g.x(0))))));
    })
    .Doc("The inverse of the sine, in [-pi/2, pi/2].");

OP("Acos")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("Neg", g.Op("Mul", g.dy(0),
                                 g.Op("Rsqrt", g.Op("Sub", g.ScalarLike(g.x(0), 1), g.Op("Square", Conj(g, g.x(0)))))));
    })
    .Doc("The inverse of the cosine, in [0, pi].");

OP("Atan")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("Mul", g.dy(0),
                     g.Op("Reciprocal", g.Op("AddV2", g.ScalarLike(g.x(0), 1), g.Op("Square", Conj(g, g.x(0))))));
    })
    .Doc("The inverse of the tangent, in [-pi/2, pi/2].");

OP("Sinh")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Mul", g.dy(0), g.Op("Cosh", Conj(g, g.x(0)))); })
    .Doc("The hyperbolic sine, element by element.");

OP("Cosh")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Mul", g.dy(0), g.Op("Sinh", Conj(g, g.x(0)))); })
    .Doc("The hyperbolic cosine, element by element.");

OP("Tanh")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("TanhGrad", Conj(g, g.y(0)), g.dy(0)); })
    .Doc("The hyperbolic tangent, element by element.");

OP("Asinh")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("RealDiv", g.dy(0), g.Op("Cosh", Conj(g, g.y(0)))); })
    .Doc("The inverse of the hyperbolic sine.");

OP("Acosh")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("RealDiv", g.dy(0), g.Op("Sinh", Conj(g, g.y(0)))); })
    .Doc("The inverse of the hyperbolic cosine.");

OP("Atanh")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("Mul", g.dy(0),
                     g.Op("Reciprocal", g.Op("Sub", g.ScalarLike(g.x(0), 1), g.Op("Square", Conj(g, g.x(0))))));
    })
    .Doc("The inverse of the hyperbolic tangent.");

OP("Atan2")
    .Input("y: T")
    .Input("x: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) {
      const Output squares = g.Op("AddV2", g.Op("Square", g.x(1)), g.Op("Square", g.x(0)));
      const Output scaled = g.Op("RealDiv", g.dy(0), squares);
      SetBroadcastGradients(g, g.Op("Mul", g.x(1), scaled), g.Op("Mul", g.Op("Neg", g.x(0)), scaled));
    })
    .Doc("The angle of the point (x, y), in [-pi, pi].");

}  // namespace
}  // namespace dfrun
