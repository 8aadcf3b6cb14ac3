// The gradients of element-wise functions in terms of their results, as ops of their own. Their own gradients are
// TensorFlow's, with its conjugates for complex numbers.
#include "kernels/math/functions/gradients.h"
#include "kernels/math/functions/signatures.h"

namespace dfrun {
namespace {

OP("SigmoidGrad")
    .As(GradientOfUnary<kComplexFloats>)
    .Gradient([](GradientBuilder& g) {
      const Output product = g.Op("Mul", g.dy(0), Conj(g, g.x(1)));
      const Output twice = g.Op("Mul", g.ScalarLike(g.x(0), 2), g.Op("Mul", product, Conj(g, g.x(0))));
      g.dx(0) = g.Op("Sub", product, twice);
      g.dx(1) = g.Op("SigmoidGrad", Conj(g, g.x(0)), g.dy(0));
    })
    .ComputesEach(GradientLoopOf(ElementwiseLoop::kSigmoidGrad))
    .Cost(ElementwiseCost(3))
    .Doc("The gradient of Sigmoid: dy * y * (1 - y).");

OP("TanhGrad")
    .As(GradientOfUnary<kComplexFloats>)
    .Gradient([](GradientBuilder& g) {
      const Output product = g.Op("Mul", Conj(g, g.x(1)), Conj(g, g.x(0)));
      g.dx(0) = g.Op("Mul", g.dy(0), g.Op("Mul", g.ScalarLike(g.x(0), -2), product));
      g.dx(1) = g.Op("TanhGrad", Conj(g, g.x(0)), g.dy(0));
    })
    .ComputesEach(GradientLoopOf(ElementwiseLoop::kTanhGrad))
    .Cost(ElementwiseCost(3))
    .Doc("The gradient of Tanh: dy * (1 - y^2).");

OP("SqrtGrad")
    .As(GradientOfUnary<kComplexFloats>)
    .Gradient([](GradientBuilder& g) {
      const Output quotient = g.Op("RealDiv", g.dy(0), g.x(0));
      g.dx(0) = g.Op("Neg", g.Op("MulNoNan", Conj(g, quotient), g.y(0)));  // 0 where dy is, as the result
      g.dx(1) = g.Op("Mul", g.ScalarLike(g.x(0), 0.5), quotient);
    })
    .Cost(ElementwiseCost(2))
    .Doc("The gradient of Sqrt: dy / (2 y).");

// The gradient of `op`, which is dy * f(conj(y)); its derivative there is scale * power.
void PowerGradient(GradientBuilder& g, const char* op, double scale, Output power) {
  const Output dy = g.Op("Mul", Conj(g, g.dy(0)), g.x(1));
  g.dx(0) = g.Op("Mul", g.Op("Mul", g.ScalarLike(g.x(0), scale), dy), power);
  g.dx(1) = g.Op(op, Conj(g, g.x(0)), g.dy(0));
}

OP("RsqrtGrad")
    .As(GradientOfUnary<kComplexFloats>)
    .Gradient([](GradientBuilder& g) { PowerGradient(g, "RsqrtGrad", -1.5, g.Op("Square", Conj(g, g.x(0)))); })
    .Cost(ElementwiseCost(4))
    .Doc("The gradient of Rsqrt: -dy * y^3 / 2.");

OP("ReciprocalGrad")
    .As(GradientOfUnary<kComplexFloats>)
    .Gradient([](GradientBuilder& g) { PowerGradient(g, "ReciprocalGrad", -2, Conj(g, g.x(0))); })
    .Cost(ElementwiseCost(3))
    .Doc("The gradient of Reciprocal: -dy * y^2.");

OP("InvGrad")
    .As(GradientOfUnary<kComplexFloats>)
    .Gradient([](GradientBuilder& g) { PowerGradient(g, "InvGrad", -2, Conj(g, g.x(0))); })
    .Cost(ElementwiseCost(3))
    .Doc("The gradient of Inv: -dy * y^2.");

}  // namespace
}  // namespace dfrun
