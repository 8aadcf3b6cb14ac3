#include "kernels/matrix/matmul_shape.h"

#include <utility>

namespace dfrun {

Result<PartialShape> ProductShape(InferenceContext& c, int input_a, int input_b) {
  DF_ASSIGN(const PartialShape a, c.WithRank(input_a, 2));
  DF_ASSIGN(const PartialShape b, c.WithRank(input_b, 2));
  DF_ASSIGN(const bool transpose_a, c.attr<bool>("transpose_a"));
  DF_ASSIGN(const bool transpose_b, c.attr<bool>("transpose_b"));
  const int64_t inner_a = a.dim(transpose_a ? 0 : 1);
  const int64_t inner_b = b.dim(transpose_b ? 1 : 0);
  if (inner_a >= 0 && inner_b >= 0 && inner_a != inner_b) {
    return InvalidArgument("cannot multiply ", a, transpose_a ? " (transposed)" : "", " by ", b,
                           transpose_b ? " (transposed)" : "", ": the inner sizes ", inner_a, " and ", inner_b,
                           " differ");
  }
  return PartialShape({a.dim(transpose_a ? 1 : 0), b.dim(transpose_b ? 0 : 1)});
}

Status MatMulShape(InferenceContext& c) {
  DF_ASSIGN(PartialShape shape, ProductShape(c, 0, 1));
  c.set_output(0, std::move(shape));
  return Status();
}

Result<PartialShape> ProductSumShape(InferenceContext& c, int first, int terms) {
  PartialShape sum;
  for (int i = first; i < first + terms; ++i) {
    DF_ASSIGN(const PartialShape product, ProductShape(c, i, terms + i));
    DF_ASSIGN(sum, sum.Merge(product));
  }
  return sum;
}

}  // namespace dfrun
