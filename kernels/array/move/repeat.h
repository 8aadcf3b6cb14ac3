// Tensors repeated along dimensions, on any device: Movement is the device's (movement_cpu.h).
#ifndef DFRUN_KERNELS_ARRAY_MOVE_REPEAT_H_
#define DFRUN_KERNELS_ARRAY_MOVE_REPEAT_H_

#include <string_view>
#include <utility>
#include <vector>

#include "kernels/array/copy/strided_copy.h"
#include "kernels/array/int_values.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

template <class Movement>
class BroadcastToKernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"shape"};
  explicit BroadcastToKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const Shape shape, ShapeValue(ctx.input(1), "the shape to broadcast to"));
    const int extra = shape.rank() - x.shape().rank();
    if (extra < 0) return InvalidArgument("cannot broadcast ", x.shape(), " to ", shape, ", whose rank is lower");
    const std::vector<int64_t> from_strides = RowMajorStrides(x.shape());
    const std::vector<int64_t> to_strides = RowMajorStrides(shape);
    std::vector<CopyDim> dims(static_cast<size_t>(shape.rank()));
    for (int d = 0; d < shape.rank(); ++d) {
      const int64_t size = d < extra ? 1 : x.shape().dim(d - extra);
      if (size != 1 && size != shape.dim(d)) return InvalidArgument("cannot broadcast ", x.shape(), " to ", shape);
      dims[d] = {shape.dim(d), size == 1 ? 0 : from_strides[d - extra], to_strides[d]};
    }
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    return Movement::Copy(ctx, x.dtype(), x.raw(), y->raw(), std::move(dims));
  }
};

template <class Movement>
class TileKernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"multiples"};
  explicit TileKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const int rank = x.shape().rank();
    DF_ASSIGN(const std::vector<int64_t> multiples, IntVector(ctx.input(1), "the multiples"));
    if (static_cast<int>(multiples.size()) != rank)
      return InvalidArgument("Tile of ", x.shape(), " needs ", rank, " multiples, but got ", multiples.size());
    std::vector<int64_t> sizes(multiples.size());
    for (int d = 0; d < rank; ++d) {
      if (multiples[d] < 0 || __builtin_mul_overflow(x.shape().dim(d), multiples[d], &sizes[d]))
        return InvalidArgument("Tile of ", x.shape(), " by ", multiples[d], " along dimension ", d, " makes no shape");
    }
    DF_ASSIGN(const Shape shape, Shape::Create(sizes));
    const std::vector<int64_t> from_strides = RowMajorStrides(x.shape());
    const std::vector<int64_t> to_strides = RowMajorStrides(shape);
    std::vector<CopyDim> dims;
    for (int d = 0; d < rank; ++d) {
      dims.push_back({multiples[d], 0, x.shape().dim(d) * to_strides[d]});
      dims.push_back({x.shape().dim(d), from_strides[d], to_strides[d]});
    }
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    return Movement::Copy(ctx, x.dtype(), x.raw(), y->raw(), std::move(dims));
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_MOVE_REPEAT_H_
