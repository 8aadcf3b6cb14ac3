// Quotients and remainders, element by element.
#include "kernels/math/gradients.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

void DivGradient(GradientBuilder& g) {
  const Output x = Conj(g, g.x(0));
  const Output y = Conj(g, g.x(1));
  const Output y_grad = g.Op("Mul", g.dy(0), g.Op("RealDiv", g.Op("RealDiv", g.Op("Neg", x), y), y));
  SetBroadcastGradients(g, g.Op("RealDiv", g.dy(0), y), y_grad);
}

OP("Div")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, "
        "complex128}")
    .Shape(BroadcastOfInputs())
    .Gradient(DivGradient)
    .Doc("x / y, element by element; of integers, rounded towards zero.");

OP("RealDiv")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, "
        "complex128}")
    .Shape(BroadcastOfInputs())
    .Gradient(DivGradient)
    .Doc("x / y, element by element.");

OP("DivNoNan")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {half, float, bfloat16, double, complex64, complex128}")
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) {
      const Output x = Conj(g, g.x(0));
      const Output y = Conj(g, g.x(1));
      const Output quotient = g.Op("DivNoNan", g.Op("DivNoNan", g.Op("Neg", x), y), y);
      SetBroadcastGradients(g, g.Op("DivNoNan", g.dy(0), y), g.Op("Mul", g.dy(0), quotient));
    })
    .Doc("x / y, and 0 where y is 0.");

OP("FloorDiv")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, "
        "complex128}")
    .Shape(BroadcastOfInputs())
    .NotDifferentiable()
    .Doc("x / y rounded down.");

OP("TruncateDiv")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, "
        "complex128}")
    .Shape(BroadcastOfInputs())
    .NotDifferentiable()
    .Doc("x / y rounded towards zero.");

OP("FloorMod")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, float, double}")
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) {
      SetBroadcastGradients(g, g.dy(0), g.Op("Mul", g.dy(0), g.Op("Neg", g.Op("FloorDiv", g.x(0), g.x(1)))));
    })
    .Doc("The remainder of x / y rounded down; it has the sign of y.");

OP("Mod")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {int32, int64, half, bfloat16, float, double}")
    .Shape(BroadcastOfInputs())
    .NotDifferentiable()
    .Doc("The remainder of x / y rounded towards zero; it has the sign of x.");

OP("TruncateMod")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {int32, int64, bfloat16, half, float, double}")
    .Shape(BroadcastOfInputs())
    .NotDifferentiable()
    .Doc("The remainder of x / y rounded towards zero; it has the sign of x.");

}  // namespace
}  // namespace dfrun
