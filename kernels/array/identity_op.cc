// Ops that hand their input on.
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

OP("NoOp").Total().Doc("Does nothing; a place for control edges.");

OP("Identity")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.dy(0); })
    .PassesOn()
    .Total()
    .FollowsFirstInput()
    .ConstantValue(&SameConstant)
    .Doc("The input itself.");

OP("IdentityN")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: list(type) >= 1")
    .Shape([](InferenceContext& c) {
      for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(i));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      for (int i = 0; i < g.num_inputs(); ++i) {
        if (g.has_dy(i)) g.dx(i) = g.dy(i);
      }
    })
    .PassesOn(Passthrough::kEachInput)
    .Total()
    .Doc("The inputs themselves.");

OP("EnsureShape")
    .Input("input: T")
    .Output("output: T")
    .Attr("shape: shape")
    .Attr("T: type")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const PartialShape shape, c.attr<PartialShape>("shape"));
      DF_ASSIGN(PartialShape both, c.input(0).Merge(shape));
      c.set_output(0, std::move(both));
      return Status();
    })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.dy(0); })
    .Cost(NoCost())
    .Doc("The input itself, which must have the attr's shape as far as that is known.");

OP("StopGradient")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Shape(SameAsInput(0))
    .GradientEnds(GradientFlow::kStopped)
    .Total()
    .FollowsFirstInput()
    .ConstantValue(&SameConstant)
    .Cost(NoCost())
    .Doc("The input itself, through which no gradient flows.");

OP("PreventGradient")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("message: string = ''")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) {
      g.Fail(InvalidArgument("a gradient is asked for through PreventGradient: ", g.attr<std::string>("message")));
    })
    .FollowsFirstInput()
    .Cost(NoCost())
    .Doc("The input itself; asking for a gradient through it is an error with the attr's message.");

}  // namespace
}  // namespace dfrun
