// A choice between two tensors, element by element.
#include "kernels/math/functions/gradients.h"
#include "kernels/math/functions/signatures.h"

namespace dfrun {
namespace {

void Choice(OpBuilder& op) {
  op.Input("condition: bool").Input("t: T").Input("e: T").Output("output: T").Attr("T: type").Chooses().Total();
}

OP("Select")
    .As(Choice)
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(PartialShape output, c.input(1).Merge(c.input(2)));
      const PartialShape& condition = c.input(0);
      const bool may_be_rows = condition.rank() == 1 && output.rank() != 1;
      const bool rows = may_be_rows && output.known_rank();
      if (rows && (output.rank() == 0 || !PartialShape({output.dim(0)}).IsCompatibleWith(condition)))
        return InvalidArgument("Select: the condition ", condition, " does not choose rows of ", output);
      if (condition.rank() > 0 && !may_be_rows) {
        DF_ASSIGN(output, output.Merge(condition));
      }
      c.set_output(0, std::move(output));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      const Output zeros = g.Op("ZerosLike", g.x(1));
      g.dx(1) = g.Op("Select", g.x(0), g.dy(0), zeros);
      g.dx(2) = g.Op("Select", g.x(0), zeros, g.dy(0));
    })
    .Rows(RowsOfElements())
    .Doc("t where the condition is true, else e; a vector condition chooses rows.");

OP("SelectV2")
    .As(Choice)
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const PartialShape both, BroadcastShapes(c.input(1), c.input(2)));
      DF_ASSIGN(PartialShape output, BroadcastShapes(c.input(0), both));
      c.set_output(0, std::move(output));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      const Output zero = g.ScalarLike(g.x(1), 0);
      SetSummedGradient(g, 1, g.Op("SelectV2", g.x(0), g.dy(0), zero), g.y(0));
      SetSummedGradient(g, 2, g.Op("SelectV2", g.x(0), zero, g.dy(0)), g.y(0));
    })
    .Rows(RowsOfElements())
    .Doc("t where the condition is true, else e, with broadcasting.");

OP("ClipByValue")
    .Input("t: T")
    .Input("clip_value_min: T")
    .Input("clip_value_max: T")
    .Output("output: T")
    .Attr(kNumbers)
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) {
      const Output zero = g.ScalarLike(g.x(0), 0);
      const Output below = g.Op("Less", g.x(0), g.x(1));
      const Output above = g.Op("Greater", g.x(0), g.x(2));
      g.dx(0) = g.Op("SelectV2", g.Op("LogicalOr", below, above), zero, g.dy(0));
      SetSummedGradient(g, 1, g.Op("SelectV2", below, g.dy(0), zero), g.y(0));
      SetSummedGradient(g, 2, g.Op("SelectV2", above, g.dy(0), zero), g.y(0));
    })
    .Total()
    .Cost(ElementwiseCost(2))
    .Rows(RowsOfElements())
    .Doc("t, but not below the first bound nor above the second; each a scalar or of the shape of t.");

}  // namespace
}  // namespace dfrun
