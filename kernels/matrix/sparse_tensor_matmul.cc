#include "kernels/matrix/sparse_tensor_matmul.h"

#include <vector>

#include "kernels/array/int_values.h"

namespace dfrun {

Result<SparseProduct> SparseMatMulBase::Match(const OpContext& ctx) const {
  const Shape& indices = ctx.input(0).shape();
  const Shape& values = ctx.input(1).shape();
  const Shape& b = ctx.input(3).shape();
  if (b.rank() != 2) return InvalidArgument("the dense side must be a matrix, but has shape ", b);
  if (values.rank() != 1) return InvalidArgument("the values must be a vector, but have shape ", values);
  if (indices.rank() != 2 || indices[0] != values[0] || indices[1] != 2) {
    return InvalidArgument("the positions of ", values[0], " values must have the shape [", values[0], ",2], not ",
                           indices);
  }
  DF_ASSIGN(const std::vector<int64_t> a, IntVector(ctx.input(2), "the shape of the sparse matrix"));
  if (a.size() != 2 || a[0] < 0 || a[1] < 0) {
    return InvalidArgument("the sparse matrix has the shape ", ctx.input(2).ToString(), ", which is no matrix's");
  }
  const SparseProduct product{a[adjoint_a_ ? 1 : 0], a[adjoint_a_ ? 0 : 1], b[adjoint_b_ ? 0 : 1], values[0]};
  if (product.inner != b[adjoint_b_ ? 1 : 0]) {
    return InvalidArgument("cannot multiply a sparse matrix of shape [", a[0], ",", a[1], "] by ", b,
                           ": the inner sizes differ");
  }
  return product;
}

}  // namespace dfrun
