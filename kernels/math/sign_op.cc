// Signs, rounding and tests of single elements.
#include "kernels/math/gradients.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

OP("Abs")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Mul", g.dy(0), g.Op("Sign", g.x(0))); })
    .Doc("|x|, element by element.");

OP("Sign")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128, int8, int16, int32, int64}")
    .Shape(SameAsInput(0))
    .NotDifferentiable()
    .Doc("-1, 0 or 1 by the sign of x; of a complex number its direction.");

OP("Square")
    .Input("x: T")
    .Output("y: T")
    .Attr(
        "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, "
        "complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("Mul", g.dy(0), g.Op("Mul", g.ScalarLike(g.x(0), 2), Conj(g, g.x(0))));
    })
    .Doc("x * x, element by element.");

OP("Floor")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Shape(SameAsInput(0))
    .NotDifferentiable()
    .Doc("The largest integer that is not above x.");

OP("Ceil")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Shape(SameAsInput(0))
    .NotDifferentiable()
    .Doc("The smallest integer that is not below x.");

OP("Rint")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Shape(SameAsInput(0))
    .NotDifferentiable()
    .Doc("The nearest integer, halves to even.");

OP("Round")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}")
    .Shape(SameAsInput(0))
    .NotDifferentiable()
    .Doc("The nearest integer, halves to even.");

OP("IsNan")
    .Input("x: T")
    .Output("y: bool")
    .Attr("T: {bfloat16, half, float, double}")
    .Shape(SameAsInput(0))
    .NotDifferentiable()
    .Doc("True where x is NaN.");

OP("IsInf")
    .Input("x: T")
    .Output("y: bool")
    .Attr("T: {bfloat16, half, float, double}")
    .Shape(SameAsInput(0))
    .NotDifferentiable()
    .Doc("True where x is infinite.");

OP("IsFinite")
    .Input("x: T")
    .Output("y: bool")
    .Attr("T: {bfloat16, half, float, double}")
    .Shape(SameAsInput(0))
    .NotDifferentiable()
    .Doc("True where x is neither infinite nor NaN.");

}  // namespace
}  // namespace dfrun
