#include "kernels/linalg/matrix_shapes.h"

#include <algorithm>

namespace dfrun {

PartialShape PartialMatrices::With(std::initializer_list<int64_t> dims) const {
  if (!batch.known_rank()) return PartialShape();
  PartialShape shape = batch;
  for (int64_t size : dims) shape.Append(size);
  return shape;
}

Result<PartialMatrices> PartialMatricesOf(const InferenceContext& c, int input) {
  DF_ASSIGN(const PartialShape shape, c.WithRankAtLeast(input, 2));
  if (!shape.known_rank()) return PartialMatrices();
  const std::vector<int64_t>& dims = shape.dims();
  return PartialMatrices{PartialShape(std::vector<int64_t>(dims.begin(), dims.end() - 2)), dims[dims.size() - 2],
                         dims.back()};
}

Result<PartialMatrices> PartialSquareMatricesOf(const InferenceContext& c, int input) {
  DF_ASSIGN(PartialMatrices matrices, PartialMatricesOf(c, input));
  Result<int64_t> size = MergeSizes(matrices.rows, matrices.columns);
  if (!size.ok()) return InvalidArgument("the matrices of shape ", c.input(input), " are not square");
  matrices.rows = matrices.columns = *size;
  return matrices;
}

int64_t SmallerSize(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a == PartialShape::kUnknown || b == PartialShape::kUnknown ? PartialShape::kUnknown : std::min(a, b);
}

Result<int64_t> MergeSizes(int64_t a, int64_t b) {
  if (a == b || b == PartialShape::kUnknown) return a;
  if (a == PartialShape::kUnknown) return b;
  return InvalidArgument("the sizes ", a, " and ", b, " must be equal");
}

Status SquareMatrixShape(InferenceContext& c) {
  DF_ASSIGN(const PartialMatrices matrices, PartialSquareMatricesOf(c, 0));
  c.set_output(0, matrices.With({matrices.rows, matrices.columns}));
  return Status();
}

Status NumberPerSquareMatrixShape(InferenceContext& c) {
  DF_ASSIGN(const PartialMatrices matrices, PartialSquareMatricesOf(c, 0));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, matrices.batch);
  return Status();
}

}  // namespace dfrun
