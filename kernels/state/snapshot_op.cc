#include "src/framework/op/op.h"

namespace dfrun {

OP("_SnapshotVariable")
    .Input("ref: Ref(dtype)")
    .Input("token: int64")
    .Output("value: dtype")
    .Attr("dtype: type")
    .Attr("copies: bool")
    .Stateful()
    .NotDifferentiable()
    .Shape(SameAsInput(0))
    .OnlyReadsVariables()
    .Own()
    .Cost(NoCost())
    .Doc(
        "The variable's value once the token is there, as ReadVariableOp reads it: later updates do not change it. "
        "copies: it is copied at once, else by an update that finds it held.");

}  // namespace dfrun
