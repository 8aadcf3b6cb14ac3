// Functions of two operands, element by element.
#include "kernels/math/constant_integers.h"
#include "kernels/math/gradients.h"
#include "kernels/math/signatures.h"

namespace dfrun {
namespace {

constexpr char kDifferenceTypes[] = "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}";

OP("SquaredDifference")
    .As(BinaryOp<kDifferenceTypes>)
    .Commutative()
    .Gradient([](GradientBuilder& g) {
      const Output twice = g.Op("Mul", g.ScalarLike(g.x(0), 2), g.dy(0));
      const Output grad = g.Op("Mul", twice, g.Op("Sub", g.x(0), g.x(1)));
      SetBroadcastGradients(g, grad, g.Op("Neg", grad));
    })
    .ComputesEach(BinaryLoopOf(ElementwiseLoop::kSquaredDifference))
    .Cost(ElementwiseCost(2))
    .Doc("(x - y)^2, element by element with broadcasting.");

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
    .Gradient([](GradientBuilder& g) {
      const Output x = Conj(g, g.x(0));
      const Output y = Conj(g, g.x(1));
      const Output one = g.ScalarLike(g.x(0), 1);
      const Output zero = g.ScalarLike(g.x(0), 0);
      const Output x_grad = g.Op("Mul", g.Op("Mul", g.dy(0), y), g.Op("Pow", x, g.Op("Sub", y, one)));
      // Where the logarithm is not defined the exponent gets no gradient.
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
      const Output squares = g.Op("AddV2", g.Op("Square", g.x(1)), g.Op("Square", g.x(0)));
      const Output scaled = g.Op("RealDiv", g.dy(0), squares);
      SetBroadcastGradients(g, g.Op("Mul", g.x(1), scaled), g.Op("Mul", g.Op("Neg", g.x(0)), scaled));
    })
    .Doc("The angle of the point (x, y), in [-pi, pi].");

// Like TensorFlow's, these gradients are not conjugated.
void SetPartials(GradientBuilder& g, Output by_x, Output by_y) {
  SetBroadcastGradients(g, g.Op("Mul", by_x, g.dy(0)), g.Op("Mul", by_y, g.dy(0)));
}

OP("Xlogy")
    .As(BinaryOp<kComplexFloats>)
    .Gradient([](GradientBuilder& g) {
      SetPartials(g, g.Op("Xlogy", IsNonzero(g, g.x(0)), g.x(1)), g.Op("Xdivy", g.x(0), g.x(1)));
    })
    .Doc("x * log(y), and 0 where x is 0.");

OP("Xlog1py")
    .As(BinaryOp<kComplexFloats>)
    .Gradient([](GradientBuilder& g) {
      const Output y_plus_1 = g.Op("AddV2", g.x(1), g.ScalarLike(g.x(1), 1));
      SetPartials(g, g.Op("Xlog1py", IsNonzero(g, g.x(0)), g.x(1)), g.Op("Xdivy", g.x(0), y_plus_1));
    })
    .Doc("x * log(1 + y), and 0 where x is 0.");

OP("Xdivy")
    .As(BinaryOp<kComplexFloats>)
    .Gradient([](GradientBuilder& g) {
      SetPartials(g, g.Op("Xdivy", IsNonzero(g, g.x(0)), g.x(1)),
                  g.Op("Xdivy", g.Op("Neg", g.x(0)), g.Op("Square", g.x(1))));
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
