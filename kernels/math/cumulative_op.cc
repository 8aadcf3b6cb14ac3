// Running sums and products.
#include "kernels/math/gradients.h"
#include "kernels/math/signatures.h"

namespace dfrun {
namespace {

template <const char* kTypes>
void CumulativeOp(OpBuilder& op) {
  op.Input("x: T")
      .Input("axis: Tidx")
      .Output("out: T")
      .Attr("exclusive: bool = false")
      .Attr("reverse: bool = false")
      .Attr(kTypes)
      .Attr("Tidx: {int32, int64} = DT_INT32")
      .Shape(SameAsInput(0));
}

AttrMap Reversed(GradientBuilder& g) {
  return {{"exclusive", g.attr<bool>("exclusive")}, {"reverse", !g.attr<bool>("reverse")}};
}

OP("Cumsum")
    .As(CumulativeOp<kNumbers>)
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Cumsum", Reversed(g), g.dy(0), g.x(1)); })
    .Doc("The sums of the elements up to each along an axis.");

OP("Cumprod")
    .As(CumulativeOp<kNumbers>)
    .Gradient([](GradientBuilder& g) {
      const Output sums = g.Op("Cumsum", Reversed(g), g.Op("Mul", g.y(0), g.dy(0)), g.x(1));
      g.dx(0) = g.Op("DivNoNan", sums, g.x(0));
    })
    .Doc("The products of the elements up to each along an axis.");

}  // namespace
}  // namespace dfrun
