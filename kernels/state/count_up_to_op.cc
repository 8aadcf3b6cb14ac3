#include "src/framework/op/op.h"

namespace dfrun {

OP("CountUpTo")
    .Input("ref: Ref(T)")
    .Output("output: T")
    .Attr("limit: int")
    .Attr("T: {int32, int64}")
    .NotDifferentiable()
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(PartialShape scalar, c.WithRank(0, 0));
      c.set_output(0, std::move(scalar));
      return Status();
    })
    .Doc("The variable's value before it is counted up by one; OutOfRange where it has reached the limit.");

OP("ResourceCountUpTo")
    .Input("resource: resource")
    .Output("output: T")
    .Attr("limit: int")
    .Attr("T: {int32, int64}")
    .Stateful()
    .NotDifferentiable()
    .Shape([](InferenceContext& c) -> Status {
      const PartialShape shape = c.handle_shape(0);
      if (shape.known_rank() && shape.rank() != 0) {
        return InvalidArgument("a variable of shape ", shape, " is no scalar, and cannot count");
      }
      c.set_output(0, PartialShape::Scalar());
      return Status();
    })
    .Doc("CountUpTo of the handle's variable.");

}  // namespace dfrun
