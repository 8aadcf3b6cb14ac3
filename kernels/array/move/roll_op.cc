#include "kernels/array/int_values.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

OP("Roll")
    .Input("input: T")
    .Input("shift: Tshift")
    .Input("axis: Taxis")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tshift: {int32, int64}")
    .Attr("Taxis: {int32, int64}")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(PartialShape x, c.WithRankAtLeast(0, 1));
      DF_ASSIGN(const PartialShape both, c.input(1).Merge(c.input(2)));
      if (both.known_rank() && both.rank() > 1)
        return InvalidArgument("shift and axis must be numbers or vectors, but have shape ", both);
      c.set_output(0, std::move(x));
      return Status();
    })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Roll", g.dy(0), g.Op("Neg", g.x(1)), g.x(2)); })
    .Cost(CopyCost())
    .Doc("The input moved by `shift` elements along each axis; what leaves at an end comes in at the other.");

}  // namespace
}  // namespace dfrun
