// The learning rate of a step.
#include "src/framework/op/op.h"

namespace dfrun {

OP("_StepNumber")
    .Output("step: int64")
    .Stateful()
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .Own()
    .Cost(NoCost())
    .Doc("The number that whoever asked for the step gave it: of a training's steps 0, 1, ...");

OP("_ShareStep")
    .Input("token: int64")
    .Output("step: int64")
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .Own()
    .Cost(NoCost())
    .Doc("The number of the step that a token is handed out for.");

OP("_LearningRate")
    .Input("step: int64")
    .Output("rate: T")
    .Attr("T: {float, double}")
    .Attr("schedule: tensor")
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .Own()
    .Cost(NoCost())
    .Doc("The learning rate in a step. schedule: its numbers, as float64.");

}  // namespace dfrun
