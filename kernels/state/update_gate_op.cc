#include "src/framework/op.h"

namespace dfrun {

OP("_UpdateGate")
    .Input("values: T")
    .Output("finite: bool")
    .Attr("T: list({float, double, half, bfloat16})")
    .Stateful()
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .Doc("Whether all values are finite; where not, the executor leaves out the updates that wait for it.");

OP("_NotFiniteValues")
    .Input("values: T")
    .Output("report: string")
    .Attr("T: list(type)")
    .Attr("names: list(string)")
    .Stateful()
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .Doc("What is not finite in the values, a sentence that gives their names; empty where all are.");

}  // namespace dfrun
