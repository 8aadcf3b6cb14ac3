#include "kernels/gemm/gemm.h"

#include "kernels/gemm/tuning.h"
#include "src/framework/values/shape.h"

namespace dfrun {
int64_t GemmShape::work() const {
  int64_t product = 0;
  if (__builtin_mul_overflow(m, k, &product) || __builtin_mul_overflow(product, n, &product)) return INT64_MAX;
  return product;
}

Result<GemmShape> MatchMatrices(std::span<const int64_t> a, std::span<const int64_t> b, bool transpose_a,
                                bool transpose_b) {
  if (a.size() < 2 || b.size() < 2) {
    return InvalidArgument("matrices are multiplied, but the inputs have the shapes ", Shape(a), " and ", Shape(b));
  }
  const auto a_dims = a.last(2);
  const auto b_dims = b.last(2);
  const GemmShape product{a_dims[transpose_a ? 1 : 0], a_dims[transpose_a ? 0 : 1], b_dims[transpose_b ? 0 : 1],
                          transpose_a, transpose_b};
  const int64_t inner_b = b_dims[transpose_b ? 1 : 0];
  if (inner_b == product.k) return product;
  return InvalidArgument("cannot multiply ", Shape(a), transpose_a ? " (transposed)" : "", " by ", Shape(b),
                         transpose_b ? " (transposed)" : "", ": the inner sizes ", product.k, " and ", inner_b,
                         " differ");
}

bool PrefersUnpackedGemm(const GemmShape& shape) {
  return shape.work() <= kUnpackedWork;
}

}  // namespace dfrun
