#include "kernels/array/index/gather_loops.h"

#include "kernels/array/int_values.h"

namespace dfrun {

Result<GatherLoops> GatherLoops::Of(const Shape& params, const Shape& indices, int64_t axis, int64_t batch_dims,
                                    Shape& result) {
  GatherLoops loops;
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < axis; ++d) {
    const int64_t size = params.dim(static_cast<int>(d));
    if (d < batch_dims && size != indices.dim(static_cast<int>(d)))
      return InvalidArgument("the batch dimensions of params ", params, " and indices ", indices, " differ");
    (d < batch_dims ? loops.batches : loops.before) *= size;
    dims.push_back(size);
  }
  for (int64_t d = batch_dims; d < indices.rank(); ++d) {
    loops.indices *= indices.dim(static_cast<int>(d));
    dims.push_back(indices.dim(static_cast<int>(d)));
  }
  loops.size = params.dim(static_cast<int>(axis));
  for (int d = static_cast<int>(axis) + 1; d < params.rank(); ++d) {
    loops.row *= params.dim(d);
    dims.push_back(params.dim(d));
  }
  DF_ASSIGN(result, Shape::Create(dims));
  return loops;
}

Result<GatherAxis> ReadGatherAxis(const OpContext& ctx, int64_t batch_dims) {
  const Shape& params = ctx.input(0).shape();
  const Shape& indices = ctx.input(1).shape();
  if (ctx.input(2).shape().rank() != 0)
    return InvalidArgument("the axis has shape ", ctx.input(2).shape(), ", but must be a scalar");
  DF_ASSIGN(const int64_t dim, IntScalar(ctx.input(2), "the axis"));
  DF_ASSIGN(const int64_t axis, CanonicalAxis(dim, params.rank()));
  const int64_t dims = batch_dims < 0 ? batch_dims + indices.rank() : batch_dims;
  if (dims < 0 || dims > indices.rank() || dims > axis)
    return InvalidArgument("batch_dims ", batch_dims, " does not fit params ", params, ", indices ", indices,
                           " and axis ", axis);
  return GatherAxis{axis, dims};
}

}  // namespace dfrun
