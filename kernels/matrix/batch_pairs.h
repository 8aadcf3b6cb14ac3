// Two batches of matrices whose leading dimensions broadcast against each other.
#ifndef DFRUN_KERNELS_MATRIX_BATCH_PAIRS_H_
#define DFRUN_KERNELS_MATRIX_BATCH_PAIRS_H_

#include <span>
#include <vector>

#include "src/framework/values/dtype.h"
#include "src/framework/values/shape.h"

namespace dfrun {

struct BatchPairs {
  std::vector<int64_t> dims;  // the broadcast batch's
  std::vector<int64_t> x;     // the number of the matrix of x that pair i has
  std::vector<int64_t> y;
};

// Pairs the matrices of tensors of these shapes, both of rank 2 or more; no pairs where a matrix of either side is
// empty or there are none. InvalidArgument where the leading dimensions do not broadcast.
Result<BatchPairs> PairMatrices(const Shape& x, const Shape& y);

// InvalidArgument unless the leading dimensions are the same.
Status CheckSameBatch(const Shape& x, const Shape& y);

// True if operands of these dtypes have a product of dtype `product`. Operands of other dtypes than the product's,
// which BatchMatMulV3 alone takes, are bytes multiplied as int32, or against bfloat16.
bool IsProductOf(DType product, DType x, DType y);

// All dimensions but the last two.
inline std::span<const int64_t> BatchDims(const Shape& shape) {
  return shape.dims().first(static_cast<size_t>(shape.rank() - 2));
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_BATCH_PAIRS_H_
