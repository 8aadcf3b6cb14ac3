#include "src/framework/op.h"

namespace dfrun {
namespace {

Status SumEqualRowsShape(InferenceContext& c) {
  DF_ASSIGN(const int64_t axis, c.attr<int64_t>("axis"));
  if (axis < 0 || axis > 1) return InvalidArgument("matrices lie along dimension 0 or 1, not ", axis);
  DF_ASSIGN(PartialShape matrix, c.WithRank(1, 2));
  for (int i = 2; i < c.num_inputs(); ++i) {
    DF_ASSIGN(matrix, matrix.Merge(c.input(i)));
  }
  c.set_output(0, PartialShape({PartialShape::kUnknown, matrix.dim(1)}));
  c.set_output(1, PartialShape({PartialShape::kUnknown}));
  return Status();
}

OP("_SumEqualRows")
    .Input("keys: Tkeys")
    .Input("matrices: N * T")
    .Output("sums: T")
    .Output("different: Tkeys")
    .Attr("N: int >= 1")
    .Attr("T: {float, double}")
    .Attr("Tkeys: {int32, int64}")
    .Attr("axis: int")
    .Shape(&SumEqualRowsShape)
    .NotDifferentiable()
    .Doc(
        "Of the rows of a Pack of matrices along an axis the sum for each of the different keys, in the order in which "
        "these come: made when a graph is optimised.");

}  // namespace
}  // namespace dfrun
