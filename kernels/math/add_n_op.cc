#include "src/framework/op.h"

namespace dfrun {
namespace {

OP("AddN")
    .Input("inputs: N * T")
    .Output("sum: T")
    .Attr("N: int >= 1")
    .Attr("T: numbertype")
    .Commutative()
    .Aggregate()
    .Shape([](InferenceContext& c) -> Status {
      PartialShape shape = c.input(0);
      for (int i = 1; i < c.num_inputs(); ++i) {
        DF_ASSIGN(shape, shape.Merge(c.input(i)));
      }
      c.set_output(0, std::move(shape));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      for (int i = 0; i < g.num_inputs(); ++i) g.dx(i) = g.dy(0);
    })
    .Doc("The sum of tensors of one shape, added from the first to the last.");

}  // namespace
}  // namespace dfrun
