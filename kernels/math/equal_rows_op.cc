#include "src/framework/op.h"

namespace dfrun {
namespace {

Status SumEqualRowsShape(InferenceContext& c) {
  DF_ASSIGN(const int64_t axis, c.attr<int64_t>("axis"));
  if (axis < 0 || axis > 1) return InvalidArgument("matrices lie along dimension 0 or 1, not ", axis);
  DF_TRY(c.WithRank(1, 0).status());
  DF_ASSIGN(PartialShape matrix, c.WithRank(2, 2));
  for (int i = 3; i < c.num_inputs(); ++i) {
    DF_ASSIGN(matrix, matrix.Merge(c.input(i)));
  }
  c.set_output(0, PartialShape({PartialShape::kUnknown, matrix.dim(1)}));
  return Status();
}

OP("_SumEqualRows")
    .Input("places: int32")
    .Input("num_places: int32")
    .Input("matrices: N * T")
    .Output("sums: T")
    .Attr("N: int >= 1")
    .Attr("T: {float, double}")
    .Attr("axis: int")
    .Shape(&SumEqualRowsShape)
    .NotDifferentiable()
    .Doc("UnsortedSegmentSum of the rows of a Pack of matrices along an axis: made when a graph is optimised.");

}  // namespace
}  // namespace dfrun
