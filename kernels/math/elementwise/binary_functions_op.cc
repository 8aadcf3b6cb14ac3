// Functions of two operands, element by element.
#include "kernels/math/functions/constant_integers.h"
#include "kernels/math/functions/gradients.h"
#include "kernels/math/functions/signatures.h"

namespace dfrun {
namespace {

constexpr char kDifferenceTypes[] = "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}";

OP("SquaredDifference")
    .As(BinaryOp<kDifferenceTypes>)
    .Commutative()
    .Gradient([](GradientBuilder& g) {
      const Output twice = g.Op("Mul", g.ScalarLike(g.x(0), 2), RealOf(g, g.dy(0)));
      const Output grad = g.Op("Mul", twice, g.Op("Sub", g.x(0), g.x(1)));
      SetBroadcastGradients(g, grad, g.Op("Neg", grad));
    })
    .ComputesEach(BinaryLoopOf(ElementwiseLoop::kSquaredDifference))
    .Cost(ElementwiseCost(2))
    .Doc("(x - y)^2, of complex numbers |x - y|^2, element by element with broadcasting.");

// The operand that was chosen has the gradient, x where both are the same.
void ChoiceGradient(GradientBuilder& g, const char* x_chosen) {
  const Output zero = g.ScalarLike(g.x(0), 0);
  const Output chosen = g.Op(x_chosen, g.x(0), g.x(1));
  SetBroadcastGradients(g, g.Op("SelectV2", chosen, g.dy(0), zero), g.Op("SelectV2", chosen, zero, g.dy(0)));
}

OP("Maximum")
    .As(BinaryOp<kOrdered>)
    .Gradient([](GradientBuilder& g) { ChoiceGradient(g, "GreaterEqual"); })
    .ComputesEach(BinaryLoopOf(ElementwiseLoop::kMaximum))
    .ConstantValue(&BinaryConstant<&LargerOf>)
    .Doc("The larger of x and y; NaN where one is.");

OP("Minimum")
    .As(BinaryOp<kOrdered>)
    .Gradient([](GradientBuilder& g) { ChoiceGradient(g, "LessEqual"); })
    .ComputesEach(BinaryLoopOf(ElementwiseLoop::kMinimum))
    .ConstantValue(&BinaryConstant<&SmallerOf>)
    .Doc("The smaller of x and y; NaN where one is.");

OP("Pow")
    .As(BinaryOp<kSignedNumbers>)
    .TotalButForIntegers()
    .Gradient([](GradientBuilder& g) {
      const Output x = Conj(g, g.x(0));
      const Output y = Conj(g, g.x(1));
      const Output one = g.ScalarLike(g.x(0), 1);
      const Output zero = g.ScalarLike(g.x(0), 0);
      // x^0 is 1 at 0 too, where x^-1 is infinite, and complex x^0 is NaN.
      const Output less = g.Op("Sub", y, one);
      Output is_flat = g.Op("Equal", y, zero);
      if (IsComplex(g.dtype(x))) is_flat = g.Op("LogicalOr", is_flat, g.Op("Equal", less, zero));
      const Output base = g.Op("SelectV2", g.Op("LogicalAnd", g.Op("Equal", x, zero), is_flat), one, x);
      const Output x_grad = g.Op("Mul", g.Op("Mul", g.dy(0), y), g.Op("Pow", base, less));
      // The exponent gets no gradient where the logarithm is not defined.
      const Output defined = IsComplex(g.dtype(x)) ? g.Op("NotEqual", x, zero) : g.Op("Greater", x, zero);
      const Output log = g.Op("SelectV2", defined, g.Op("Log", g.Op("SelectV2", defined, x, one)), zero);
      SetBroadcastGradients(g, x_grad, g.Op("Mul", g.Op("Mul", g.dy(0), Conj(g, g.y(0))), log));
    })
    .Doc("x to the power of y, element by element with broadcasting.");

OP("Atan2")
    .Input("y: T")
    .Input("x: T")
    .Output("z: T")
    .Attr(kFloats)
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) {
      // The gradient is that of the point scaled to the unit square, whose squares neither vanish nor are infinite. The
      // result does not depend on the scale.
      const Output larger = g.Op("Maximum", g.Op("Abs", g.x(0)), g.Op("Abs", g.x(1)));
      const Output finite = g.Op("SelectV2", g.Op("IsFinite", larger), larger, g.ScalarLike(larger, 1));
      const Output scale = g.Op("StopGradient", finite);
      const Output y = g.Op("RealDiv", g.x(0), scale);
      const Output x = g.Op("RealDiv", g.x(1), scale);
      const Output squares = g.Op("AddV2", g.Op("Square", x), g.Op("Square", y));
      const Output scaled = g.Op("RealDiv", g.Op("RealDiv", g.dy(0), scale), squares);
      SetBroadcastGradients(g, g.Op("MulNoNan", x, scaled), g.Op("MulNoNan", g.Op("Neg", y), scaled));
    })
    .Doc("The angle of the point (x, y), in [-pi, pi].");

// The indicator of a slope for ops that are x * factor(y), and 0 where x is 0. It is 1 where the factor is the
// derivative by x, and at an x of 0 where the factor is finite. Elsewhere it is 0, as in TensorFlow.
Output HasSlope(GradientBuilder& g, Output factor) {
  const Output x = g.x(0);
  const Output is_nonzero = g.Op("NotEqual", x, g.ScalarLike(x, 0));
  return g.Op("Cast", AttrMap{{"DstT", g.dtype(x)}}, g.Op("LogicalOr", is_nonzero, IsFinite(g, factor)));
}

// Sets the gradients from the partial derivatives at the conjugates of x and y.
void SetPartials(GradientBuilder& g, Output by_x, Output by_y) {
  SetBroadcastGradients(g, g.Op("Mul", by_x, g.dy(0)), g.Op("Mul", by_y, g.dy(0)));
}

OP("Xlogy")
    .As(BinaryOp<kComplexFloats>)
    .Gradient([](GradientBuilder& g) {
      const Output y = Conj(g, g.x(1));
      SetPartials(g, g.Op("Xlogy", HasSlope(g, g.Op("Log", y)), y), g.Op("Xdivy", Conj(g, g.x(0)), y));
    })
    .Doc("x * log(y), and 0 where x is 0.");

OP("Xlog1py")
    .As(BinaryOp<kComplexFloats>)
    .Gradient([](GradientBuilder& g) {
      const Output y = Conj(g, g.x(1));
      const Output y_plus_1 = g.Op("AddV2", y, g.ScalarLike(y, 1));
      SetPartials(g, g.Op("Xlog1py", HasSlope(g, g.Op("Log1p", y)), y), g.Op("Xdivy", Conj(g, g.x(0)), y_plus_1));
    })
    .Doc("x * log(1 + y), and 0 where x is 0.");

OP("Xdivy")
    .As(BinaryOp<kComplexFloats>)
    .Gradient([](GradientBuilder& g) {
      const Output y = Conj(g, g.x(1));
      const Output quotient = g.Op("Xdivy", g.Op("Neg", Conj(g, g.x(0))), y);
      SetPartials(g, g.Op("Xdivy", HasSlope(g, g.Op("Reciprocal", y)), y), g.Op("Xdivy", quotient, y));
    })
    .Doc("x / y, and 0 where x is 0.");

constexpr char kNextAfterTypes[] = "T: {double, float} = DT_FLOAT";

OP("NextAfter")
    .Input("x1: T")
    .Input("x2: T")
    .Output("output: T")
    .Attr(kNextAfterTypes)
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) { SetBroadcastGradients(g, g.dy(0), g.Op("ZerosLike", g.dy(0))); })
    .Doc("The number next to x1 in the direction of x2.");

}  // namespace
}  // namespace dfrun
