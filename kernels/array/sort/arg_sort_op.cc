#include "src/framework/op/op.h"

namespace dfrun {

OP("ArgSort")
    .Input("values: T")
    .Output("order: int64")
    .Attr("descending: bool = false")
    .Attr("T: {float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, string}")
    .NotDifferentiable()
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(PartialShape values, c.WithRank(0, 1));
      c.set_output(0, std::move(values));
      return Status();
    })
    .Own()
    .Cost(SortCost())
    .Doc(
        "The indices that put a vector in order: equal values keep theirs, NaN comes last, strings are compared byte "
        "by "
        "byte (dfrun's own).");

}  // namespace dfrun
