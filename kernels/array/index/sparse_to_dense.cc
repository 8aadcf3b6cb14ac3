#include "kernels/array/index/sparse_to_dense.h"

#include "kernels/array/int_values.h"

namespace dfrun {

// Indices are a scalar or a vector for a vector, else a matrix with a row for each value.
Result<Shape> SparseToDenseBase::ReadShape(const OpContext& ctx) {
  DF_ASSIGN(Shape shape, ShapeValue(ctx.input(1), "the output's shape"));
  const Shape& indices = ctx.input(0).shape();
  const Shape& values = ctx.input(2).shape();
  const int64_t count = CountOf(indices);
  const int64_t depth = indices.rank() > 1 ? indices.dim(1) : 1;
  if (indices.rank() > 2 || depth != shape.rank())
    return InvalidArgument("sparse_indices of shape ", indices, " do not name elements of ", shape);
  if (!(values.rank() == 0 || (values.rank() == 1 && values.dim(0) == count)))
    return InvalidArgument("sparse_values has shape ", values, ", but must be a scalar or hold ", count, " values");
  if (ctx.input(3).shape().rank() == 0) return shape;
  return InvalidArgument("default_value has shape ", ctx.input(3).shape(), ", but must be a scalar");
}

}  // namespace dfrun
