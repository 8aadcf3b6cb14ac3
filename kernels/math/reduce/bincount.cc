#include "kernels/math/reduce/bincount.h"

#include <span>
#include <utility>

namespace dfrun {

Result<int64_t> BincountBase::ReadBins(const OpContext& ctx) {
  const Tensor& values = ctx.input(0);
  const Tensor& size = ctx.input(1);
  const Tensor& weights = ctx.input(2);
  if (size.shape().rank() != 0)
    return InvalidArgument("the number of bins has shape ", size.shape(), ", but must be a scalar");
  const int64_t bins = size.dtype() == DType::kInt64 ? size.scalar<int64_t>() : size.scalar<int32_t>();
  if (bins < 0) return InvalidArgument("the number of bins is ", bins, ", but must not be negative");
  if (weights.num_elements() != 0 && weights.num_elements() != values.num_elements())
    return InvalidArgument("there must be a weight for each of ", values.shape(), " or none, not ", weights.shape());
  return bins;
}

Result<DenseBincountBase::Rows> DenseBincountBase::ReadRows(const OpContext& ctx) {
  const Shape& input = ctx.input(0).shape();
  if (input.rank() > 2) return InvalidArgument("DenseBincount: the input has shape ", input, ", but at most rank 2");
  DF_ASSIGN(const int64_t bins, ReadBins(ctx));
  const bool is_matrix = input.rank() == 2;
  const int64_t dims[] = {is_matrix ? input.dim(0) : 1, bins};
  DF_ASSIGN(Shape shape, Shape::Create(std::span<const int64_t>(dims).subspan(is_matrix ? 0 : 1)));
  return Rows{dims[0], std::move(shape)};
}

}  // namespace dfrun
