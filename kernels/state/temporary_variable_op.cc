#include "src/framework/op/op.h"

namespace dfrun {

OP("TemporaryVariable")
    .Output("ref: Ref(dtype)")
    .Attr("shape: shape")
    .Attr("dtype: type")
    .Attr("var_name: string = ''")
    .Stateful()
    .NotDifferentiable()
    .Shape(ShapeFromAttr("shape"))
    .Cost(NoCost())
    .Doc("A variable of this step alone; DestroyTemporaryVariable takes its value.");

OP("DestroyTemporaryVariable")
    .Input("ref: Ref(T)")
    .Output("value: T")
    .Attr("T: type")
    .Attr("var_name: string")
    .GradientEnds(GradientFlow::kState)
    .Shape(SameAsInput(0))
    .Cost(NoCost())
    .Doc("The last value of a TemporaryVariable, which has none after that.");

}  // namespace dfrun
