// Functions of two operands, element by element.
#include "kernels/math/gradients.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

OP("SquaredDifference")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
    .Commutative()
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) {
      const Output twice = g.Op("Mul", g.ScalarLike(g.x(0), 2), g.dy(0));
      const Output grad = g.Op("Mul", twice, g.Op("Sub", g.x(0), g.x(1)));
      SetBroadcastGradients(g, grad, g.Op("Neg", grad));
    })
    .Doc("(x - y)^2, element by element with broadcasting.");

// The gradient goes to the operand that was chosen, to x where both are the same.
void ChoiceGradient(GradientBuilder& g, const char* x_chosen) {
  const Output zero = g.ScalarLike(g.x(0), 0);
  const Output chosen = g.Op(x_chosen, g.x(0), g.x(1));
  SetBroadcastGradients(g, g.Op("SelectV2", chosen, g.dy(0), zero), g.Op("SelectV2", chosen, zero, g.dy(0)));
}

OP("Maximum")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}")
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) { ChoiceGradient(g, "GreaterEqual"); })
    .Doc("The larger of x and y; NaN where one is.");

OP("Minimum")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}")
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) { ChoiceGradient(g, "LessEqual"); })
    .Doc("The smaller of x and y; NaN where one is.");

OP("Pow")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128}")
    .Shape(BroadcastOfInputs())
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

OP("Xlogy")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {half, bfloat16, float, double, complex64, complex128}")
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) {
      const Output zero = g.ScalarLike(g.x(0), 0);
      const Output used = g.Op("Cast", AttrMap{{"DstT", g.dtype(g.x(0))}}, g.Op("NotEqual", g.x(0), zero));
      const Output x_grad = g.Op("Xlogy", used, g.x(1));
      const Output y_grad = g.Op("Xdivy", g.x(0), g.x(1));
      SetBroadcastGradients(g, g.Op("Mul", Conj(g, x_grad), g.dy(0)), g.Op("Mul", Conj(g, y_grad), g.dy(0)));
    })
    .Doc("x * log(y), and 0 where x is 0.");

OP("Xdivy")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {half, bfloat16, float, double, complex64, complex128}")
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) {
      const Output zero = g.ScalarLike(g.x(0), 0);
      const Output used = g.Op("Cast", AttrMap{{"DstT", g.dtype(g.x(0))}}, g.Op("NotEqual", g.x(0), zero));
      const Output x_grad = g.Op("Xdivy", used, g.x(1));
      const Output y_grad = g.Op("Xdivy", g.Op("Neg", g.x(0)), g.Op("Square", g.x(1)));
      SetBroadcastGradients(g, g.Op("Mul", Conj(g, x_grad), g.dy(0)), g.Op("Mul", Conj(g, y_grad), g.dy(0)));
    })
    .Doc("x / y, and 0 where x is 0.");

}  // namespace
}  // namespace dfrun
