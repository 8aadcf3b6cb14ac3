#include "src/framework/op/op.h"

namespace dfrun {

OP("_LearningRate")
    .Input("token: int64")
    .Output("rate: T")
    .Attr("T: {float, double}")
    .Attr("schedule: tensor")
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .Own()
    .Cost(NoCost())
    .Doc("The learning rate in the step of a token. schedule: its numbers, as float64.");

}  // namespace dfrun
