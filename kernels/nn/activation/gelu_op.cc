#include <cmath>

#include "kernels/math/functions/gelu.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

// x / 2 * (1 + erf(x / sqrt(2))), or its approximation by tanh.
LoweredNode LowerGelu(NodeBuilder& b) {
  const Output x = b.x(0);
  const auto number = [&](double value) { return b.ScalarLike(x, value); };
  Output bend;
  if (b.attr<bool>("approximate")) {
    const Output cube = b.Op("Mul", b.Op("Square", x), x);
    const Output inner = b.Op("AddV2", x, b.Op("Mul", cube, number(fn::kGeluCube)));
    bend = b.Op("Tanh", b.Op("Mul", inner, number(std::sqrt(2 / M_PI))));
  } else {
    bend = b.Op("Erf", b.Op("Mul", x, number(M_SQRT1_2)));
  }
  return {"Mul", {b.Op("Mul", x, number(0.5)), b.Op("AddV2", bend, number(1))}};
}

void GeluAttrs(OpBuilder& op) {
  op.Attr("approximate: bool = false").Attr("T: {half, bfloat16, float, double}");
}

AttrMap SameForm(GradientBuilder& g) {
  return {{"approximate", g.attr<bool>("approximate")}};
}

Output Square(GradientBuilder& g, Output x) {
  return g.Op("Mul", x, x);
}

Output Scaled(GradientBuilder& g, Output x, double factor) {
  return g.Op("Mul", x, g.ScalarLike(x, factor));
}

// 1 - x.
Output OneMinus(GradientBuilder& g, Output x) {
  return g.Op("Sub", g.ScalarLike(x, 1), x);
}

// The second derivative at x: exp(-x^2 / 2) / sqrt(2 pi) (2 - x^2).
Output ExactCurvature(GradientBuilder& g, Output x) {
  const Output square = Square(g, x);
  const Output density = Scaled(g, g.Op("Exp", Scaled(g, square, -0.5)), 0.3989422804014326779);
  return g.Op("Mul", density, g.Op("Sub", g.ScalarLike(x, 2), square));
}

// The second derivative of x s(v(x)) with the logistic function s: s' = s (1 - s) and s'' = s' (1 - 2 s) make it s' (2
// v' + x (v'' + (1 - 2 s) v'^2)).
Output ApproximateCurvature(GradientBuilder& g, Output x) {
  const Output square = Square(g, x);
  const auto polynomial = [&](double cube) {
    const Output sum = g.Op("AddV2", Scaled(g, square, cube), g.ScalarLike(x, 1));
    return Scaled(g, sum, fn::kGeluScale);
  };
  const Output s = g.Op("Sigmoid", g.Op("Mul", x, polynomial(fn::kGeluCube)));
  const Output slope = polynomial(3 * fn::kGeluCube);
  const Output bend = Scaled(g, x, 6 * fn::kGeluScale * fn::kGeluCube);
  const Output turn = g.Op("Mul", OneMinus(g, Scaled(g, s, 2)), Square(g, slope));
  const Output along_x = g.Op("Mul", x, g.Op("AddV2", bend, turn));
  return g.Op("Mul", g.Op("Mul", s, OneMinus(g, s)), g.Op("AddV2", Scaled(g, slope, 2), along_x));
}

}  // namespace

OP("Gelu")
    .Input("features: T")
    .Output("activations: T")
    .As(GeluAttrs)
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("GeluGrad", SameForm(g), g.dy(0), g.x(0)); })
    .OwnLoweredBy(&LowerGelu)
    .Cost(ElementwiseCost(5))
    .Rows(RowsOfElements())
    .Doc("x times the normal distribution function at x; `approximate`: that function by a hyperbolic tangent.");

OP("GeluGrad")
    .Input("gradients: T")
    .Input("features: T")
    .Output("backprops: T")
    .As(GeluAttrs)
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(PartialShape shape, c.input(0).Merge(c.input(1)));
      c.set_output(0, std::move(shape));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      const Output x = g.x(1);
      g.dx(0) = g.Op("GeluGrad", SameForm(g), g.dy(0), x);
      const Output curvature = g.attr<bool>("approximate") ? ApproximateCurvature(g, x) : ExactCurvature(g, x);
      g.dx(1) = g.Op("Mul", g.Op("Mul", g.dy(0), g.x(0)), curvature);
    })
    .Own()
    .Cost(ElementwiseCost(10))
    .Doc("gradients times the derivative of Gelu at features.");

}  // namespace dfrun
