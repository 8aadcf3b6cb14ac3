// Ops that speak to people, and ops that stop.
#include "src/framework/op/op.h"

namespace dfrun {

OP("Print")
    .Input("input: T")
    .Input("data: U")
    .Output("output: T")
    .Attr("T: type")
    .Attr("U: list(type) >= 0")
    .Attr("message: string = ''")
    .Attr("first_n: int = -1")
    .Attr("summarize: int = 3")
    .Stateful()
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.dy(0); })
    .GradientEnds(GradientFlow::kZero, {"data"})
    .Cost(NoCost())
    .Doc("The input; writes the message and the first elements of `data` to stderr, the first_n times that it runs.");

OP("PrintV2")
    .Input("input: string")
    .Attr("output_stream: string = 'stderr'")
    .Attr("end: string = '\n'")
    .Stateful()
    .NotDifferentiable()
    .Shape([](InferenceContext& c) { return c.WithRank(0, 0).status(); })
    .Doc("Writes a string to stderr, stdout, log(info), log(warning), log(error) or file://PATH.");

OP("Assert")
    .Input("condition: bool")
    .Input("data: T")
    .Attr("T: list(type) >= 1")
    .Attr("summarize: int = 3")
    .Stateful()
    .NotDifferentiable()
    .Shape([](InferenceContext& c) { return c.WithRank(0, 0).status(); })
    .Doc("InvalidArgument with the first elements of `data` where the condition is false.");

OP("Abort")
    .Attr("error_msg: string = ''")
    .Attr("exit_without_error: bool = false")
    .NotDifferentiable()
    .Doc("Ends the process: with the message and SIGABRT, or with exit_without_error with status 0.");

}  // namespace dfrun
