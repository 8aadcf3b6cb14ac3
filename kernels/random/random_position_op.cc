#include "src/framework/op/op.h"

namespace dfrun {

OP("RandomPosition")
    .Attr("position: string")
    .Output("blocks: int64")
    .Stateful()
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .Own()
    .Cost(NoCost())
    .Doc("How far the random node with that attr _position is in its sequence of numbers (dfrun's own).");

OP("SetRandomPosition")
    .Attr("position: string")
    .Input("blocks: int64")
    .Stateful()
    .NotDifferentiable()
    .Shape([](InferenceContext& c) { return c.WithRank(0, 0).status(); })
    .Own()
    .Cost(NoCost())
    .Doc("Has the random node with that attr _position go on there (dfrun's own).");

OP("RewindRandomPosition")
    .Attr("position: string")
    .Stateful()
    .NotDifferentiable()
    .Own()
    .Cost(NoCost())
    .Doc("Has the random node with that attr _position go on where its last step began (dfrun's own).");

}  // namespace dfrun
