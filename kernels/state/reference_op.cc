// Ops that hand references on.
#include "src/framework/op/op.h"

namespace dfrun {

OP("RefIdentity")
    .Input("input: Ref(T)")
    .Output("output: Ref(T)")
    .Attr("T: type")
    .AllowsUninitializedInput()
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.dy(0); })
    .PassesOn()
    .Doc("The reference itself: what is done to the output is done to the variable.");

OP("RefSelect")
    .Input("index: int32")
    .Input("inputs: Ref(N * T)")
    .Output("output: Ref(T)")
    .Attr("T: type")
    .Attr("N: int >= 1")
    .OnlyReadsVariables()
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(c.WithRank(0, 0).status());
      PartialShape shape = c.input(1);
      for (int i = 2; i < c.num_inputs(); ++i) {
        if (!(c.input(i) == shape)) shape = PartialShape();
      }
      c.set_output(0, std::move(shape));
      return Status();
    })
    .Cost(NoCost())
    .Doc("The reference at `index` among the inputs.");

}  // namespace dfrun
