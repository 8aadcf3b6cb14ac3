// Ops that conditionals need beside their primitives.
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

OP("ToBool")
    .Input("input: T")
    .Output("output: bool")
    .Attr("T: type")
    .Shape(ScalarOutputs())
    .NotDifferentiable()
    .Cost(NoCost())
    .Doc("A condition of any value: a number holds unless it is zero, a string or a tensor with a shape unless empty.");

OP("FakeParam")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .Shape(ShapeFromAttr("shape"))
    .NotDifferentiable()
    .Cost(FillCost())
    .Doc("What a branch gives where it has no value: zeros of `shape`, in which unknown sizes are 0.");

}  // namespace
}  // namespace dfrun
