// The gradients of element-wise functions in terms of their results, as ops of their own.
#include "kernels/math/gradients.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

OP("SigmoidGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) {
      const Output product = g.Op("Mul", g.dy(0), Conj(g, g.x(1)));
      const Output twice = g.Op("Mul", g.ScalarLike(g.x(0), 2), g.Op("Mul", product, Conj(g, g.x(0))));
      g.dx(0) = g.Op("Sub", product, twice);
      g.dx(1) = g.Op("SigmoidGrad", Conj(g, g.x(0)), g.dy(0));
    })
    .Doc("The gradient of Sigmoid: dy * y * (1 - y).");

OP("TanhGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) {
      const Output product = g.Op("Mul", Conj(g, g.x(1)), Conj(g, g.x(0)));
      g.dx(0) = g.Op("Mul", g.dy(0), g.Op("Mul", g.ScalarLike(g.x(0), -2), product));
      g.dx(1) = g.Op("TanhGrad", Conj(g, g.x(0)), g.dy(0));
    })
    .Doc("The gradient of Tanh: dy * (1 - y^2).");

OP("SqrtGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) {
      const Output quotient = g.Op("RealDiv", g.dy(0), Conj(g, g.x(0)));
      g.dx(0) = g.Op("Neg", g.Op("Mul", quotient, Conj(g, g.y(0))));
      g.dx(1) = g.Op("Mul", g.ScalarLike(g.x(0), 0.5), quotient);
    })
    .Doc("The gradient of Sqrt: dy / (2 y).");

OP("RsqrtGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) {
      const Output y = Conj(g, g.x(0));
      const Output product = g.Op("Mul", Conj(g, g.x(1)), g.Op("Square", y));
      g.dx(0) = g.Op("Mul", g.dy(0), g.Op("Mul", g.ScalarLike(g.x(0), -1.5), product));
      g.dx(1) = g.Op("RsqrtGrad", y, g.dy(0));
    })
    .Doc("The gradient of Rsqrt: -dy * y^3 / 2.");

OP("ReciprocalGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) {
      const Output y = Conj(g, g.x(0));
      const Output product = g.Op("Mul", Conj(g, g.x(1)), y);
      g.dx(0) = g.Op("Mul", g.dy(0), g.Op("Mul", g.ScalarLike(g.x(0), -2), product));
      g.dx(1) = g.Op("ReciprocalGrad", y, g.dy(0));
    })
    .Doc("The gradient of Reciprocal: -dy * y^2.");

OP("InvGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) {
      const Output y = Conj(g, g.x(0));
      const Output product = g.Op("Mul", Conj(g, g.x(1)), y);
      g.dx(0) = g.Op("Mul", g.dy(0), g.Op("Mul", g.ScalarLike(g.x(0), -2), product));
      g.dx(1) = g.Op("InvGrad", y, g.dy(0));
    })
    .Doc("The gradient of Inv: -dy * y^2.");

}  // namespace
}  // namespace dfrun
