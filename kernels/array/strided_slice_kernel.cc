#include "kernels/array/strided_slice_kernel.h"

#include <utility>

#include "kernels/array/int_values.h"

namespace dfrun {

StridedSliceBase::StridedSliceBase(KernelSetup& setup) {
  Result<StridedSliceMasks> masks = StridedSliceMasks::Read(setup.attrs());
  if (masks.ok()) {
    masks_ = *masks;
  } else {
    setup.Fail(masks.status());
  }
}

Result<StridedSlicePlan> StridedSliceBase::Plan(const OpContext& ctx, const Shape& shape, int first) const {
  DF_ASSIGN(const std::vector<int64_t> begin, IntVector(ctx.input(first), "begin"));
  DF_ASSIGN(const std::vector<int64_t> end, IntVector(ctx.input(first + 1), "end"));
  DF_ASSIGN(const std::vector<int64_t> strides, IntVector(ctx.input(first + 2), "strides"));
  return PlanStridedSlice(shape, begin, end, strides, masks_);
}

StridedSliceBase::Layout StridedSliceBase::SliceLayout(const StridedSlicePlan& plan, const Shape& whole) {
  Layout layout;
  const std::vector<int64_t> strides = RowMajorStrides(whole);
  for (size_t d = 0; d < plan.dims.size(); ++d) {
    // A stride of any size may stand where only one element is taken.
    const int64_t stride = plan.dims[d].count > 1 ? strides[d] * plan.dims[d].stride : 0;
    layout.dims.push_back({plan.dims[d].count, stride, 0});
    layout.first += plan.dims[d].count == 0 ? 0 : plan.dims[d].begin * strides[d];
  }
  int64_t stride = 1;
  for (size_t d = plan.dims.size(); d-- > 0;) {
    layout.dims[d].to_stride = stride;
    stride *= layout.dims[d].size;
  }
  return layout;
}

void StridedSliceBase::CopyIntoSlice(ThreadPool& pool, const StridedSlicePlan& plan, const Tensor& slice,
                                     Tensor& whole) {
  Layout layout = SliceLayout(plan, whole.shape());
  for (CopyDim& d : layout.dims) {
    std::swap(d.from_stride, d.to_stride);
    if (slice.shape().rank() == 0) d.from_stride = 0;
  }
  StridedCopy(pool, whole.dtype(), slice.raw(), ElementAt(whole.raw(), whole.dtype(), layout.first),
              std::move(layout.dims));
}

}  // namespace dfrun
