#include "kernels/matrix/matmul_shape.h"

#include <utility>
#include <vector>

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

Result<PartialShape> ProductSumsShape(InferenceContext& c, int first, int terms) {
  DF_ASSIGN(std::vector<int64_t> parts, c.attr<std::vector<int64_t>>("parts"));
  if (parts.empty()) parts = {terms};
  PartialShape shape;
  int64_t rows = 0;
  int i = first;
  for (const int64_t count : parts) {
    if (count < 1 || count > first + terms - i) {
      return InvalidArgument("of ", terms, " products no parts can be made with ", count, " from ", i - first, " on");
    }
    PartialShape sum;
    for (const auto end = i + count; i < end; ++i) {
      DF_ASSIGN(const PartialShape product, ProductShape(c, i, terms + i));
      DF_ASSIGN(sum, sum.Merge(product));
    }
    if (rows < 0 || sum.dim(0) < 0) {
      rows = PartialShape::kUnknown;
    } else if (__builtin_add_overflow(rows, sum.dim(0), &rows)) {
      return InvalidArgument("sums of products have more rows than a dimension can have");
    }
    DF_ASSIGN(shape, shape.Merge(PartialShape({PartialShape::kUnknown, sum.dim(1)})));
  }
  if (i < first + terms) return InvalidArgument(first + terms - i, " of ", terms, " products are in no part");
  return shape.Merge(PartialShape({rows, PartialShape::kUnknown}));
}

}  // namespace dfrun
