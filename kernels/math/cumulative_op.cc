// Running sums and products.
#include "kernels/math/gradients.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

AttrMap Reversed(GradientBuilder& g) {
  return {{"exclusive", g.attr<bool>("exclusive")}, {"reverse", !g.attr<bool>("reverse")}};
}

OP("Cumsum")
    .Input("x: T")
    .Input("axis: Tidx")
    .Output("out: T")
    .Attr("exclusive: bool = false")
    .Attr("reverse: bool = false")
    .Attr("T: numbertype")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Cumsum", Reversed(g), g.dy(0), g.x(1)); })
    .Doc("The sums of the elements up to each along an axis.");

OP("Cumprod")
    .Input("x: T")
    .Input("axis: Tidx")
    .Output("out: T")
    .Attr("exclusive: bool = false")
    .Attr("reverse: bool = false")
    .Attr("T: numbertype")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) {
      const Output product = g.Op("Mul", Conj(g, g.y(0)), g.dy(0));
      g.dx(0) = g.Op("RealDiv", g.Op("Cumsum", Reversed(g), product, g.x(1)), Conj(g, g.x(0)));
    })
    .Doc("The products of the elements up to each along an axis.");

}  // namespace
}  // namespace dfrun
