#include "kernels/quantized/quantization.h"

namespace dfrun::quantized {

Result<float> ScalarInput(const OpContext& ctx, int i) {
  const Tensor& input = ctx.input(i);
  if (input.shape().rank() == 0) return input.scalar<float>();
  return InvalidArgument("input ", i, " has shape ", input.shape(), ", but must be a scalar");
}

Result<Range> RangeInput(const OpContext& ctx, int i) {
  DF_ASSIGN(const float min, ScalarInput(ctx, i));
  DF_ASSIGN(const float max, ScalarInput(ctx, i + 1));
  return Range{min, max};
}

Status PutScalar(OpContext& ctx, int i, float value) {
  Tensor* output = nullptr;
  DF_TRY(ctx.AllocateOutput(i, Shape(), &output));
  *output->data<float>() = value;
  return Status();
}

Status PutRange(OpContext& ctx, const Range& range) {
  DF_TRY(PutScalar(ctx, 1, range.min));
  return PutScalar(ctx, 2, range.max);
}

Range UsedRange(std::span<const qint32> codes, const Range& range) {
  int32_t least = INT32_MAX;
  int32_t greatest = INT32_MIN;
  for (const qint32 code : codes) {
    least = std::min(least, code.value);
    greatest = std::max(greatest, code.value);
  }
  return {std::min(0.0F, ValueOf(qint32{least}, range)), ValueOf(qint32{greatest}, range)};
}

Result<Slices> Slices::Of(const Shape& shape, int64_t axis) {
  if (axis < -1 || axis >= shape.rank()) {
    return InvalidArgument("axis ", axis, " is not -1 and no dimension of shape ", shape);
  }
  Slices slices;
  if (axis == -1) {
    slices.inner = shape.num_elements();
    return slices;
  }
  const auto rank = shape.rank();
  for (int i = 0; i < rank; ++i) {
    int64_t& size = i < axis ? slices.outer : i == axis ? slices.count : slices.inner;
    if (__builtin_mul_overflow(size, shape[i], &size)) {
      return InvalidArgument("the dimensions of shape ", shape, " are too large");
    }
  }
  return slices;
}

}  // namespace dfrun::quantized
