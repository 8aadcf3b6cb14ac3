// Slices of tensors, on any device: Movement is the device's (movement_cpu.h).
#ifndef DFRUN_KERNELS_ARRAY_MOVE_SLICE_H_
#define DFRUN_KERNELS_ARRAY_MOVE_SLICE_H_

#include <string_view>
#include <utility>
#include <vector>

#include "kernels/array/int_values.h"
#include "kernels/array/move/strided_slice_kernel.h"

namespace dfrun {

template <class Movement>
class SliceKernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"begin", "size"};
  explicit SliceKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const int rank = x.shape().rank();
    DF_ASSIGN(const std::vector<int64_t> begin, IntVector(ctx.input(1), "begin"));
    DF_ASSIGN(std::vector<int64_t> size, IntVector(ctx.input(2), "size"));
    if (static_cast<int>(begin.size()) != rank || static_cast<int>(size.size()) != rank)
      return InvalidArgument("Slice of ", x.shape(), " got ", begin.size(), " begins and ", size.size(), " sizes");
    const std::vector<int64_t> strides = RowMajorStrides(x.shape());
    int64_t first = 0;
    for (int d = 0; d < rank; ++d) {
      const int64_t whole = x.shape().dim(d);
      const int64_t asked = size[d];
      if (asked == -1 && begin[d] >= 0) size[d] = whole - begin[d];
      if (begin[d] < 0 || begin[d] > whole || size[d] < 0 || size[d] > whole - begin[d])
        return InvalidArgument("Slice of ", x.shape(), ": begin ", begin[d], " and size ", asked, " leave dimension ",
                               d);
      first += begin[d] * strides[d];
    }
    const Shape shape{std::span<const int64_t>(size)};
    const std::vector<int64_t> to_strides = RowMajorStrides(shape);
    std::vector<CopyDim> dims(size.size());
    for (int d = 0; d < rank; ++d) dims[d] = {size[d], strides[d], to_strides[d]};
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    return Movement::Copy(ctx, x.dtype(), ElementAt(x.raw(), x.dtype(), first), y->raw(), std::move(dims));
  }
};

template <class Movement>
class StridedSliceKernel : public StridedSliceBase {
 public:
  static constexpr std::string_view kHostInputs[] = {"begin", "end", "strides"};
  using StridedSliceBase::StridedSliceBase;
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const StridedSlicePlan plan, Plan(ctx, x.shape(), 1));
    DF_ASSIGN(const Shape shape, plan.output.ToShape());
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    Layout layout = SliceLayout(plan, x.shape());
    return Movement::Copy(ctx, x.dtype(), ElementAt(x.raw(), x.dtype(), layout.first), y->raw(),
                          std::move(layout.dims));
  }
};

template <class Movement>
class StridedSliceGradKernel : public StridedSliceBase {
 public:
  static constexpr std::string_view kHostInputs[] = {"shape", "begin", "end", "strides"};
  using StridedSliceBase::StridedSliceBase;
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const Shape shape, ShapeValue(ctx.input(0), "the shape of the sliced tensor"));
    DF_ASSIGN(const StridedSlicePlan plan, Plan(ctx, shape, 1));
    DF_ASSIGN(const Shape slice, plan.output.ToShape());
    const Tensor& dy = ctx.input(4);
    if (!(dy.shape() == slice))
      return InvalidArgument("dy has shape ", dy.shape(), ", but the slice of ", shape, " has ", slice);
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    DF_TRY(Movement::Fill(ctx, *y, nullptr));
    Layout layout = IntoSliceLayout(plan, dy.shape(), shape);
    return Movement::Copy(ctx, y->dtype(), dy.raw(), ElementAt(y->raw(), y->dtype(), layout.first),
                          std::move(layout.dims));
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_MOVE_SLICE_H_
