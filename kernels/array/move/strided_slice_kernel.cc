#include "kernels/array/move/strided_slice_kernel.h"

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
  return PlanStridedSlice(shape, &begin, &end, strides, masks_);
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

namespace {

// The strides of a tensor of `shape` along the plan's dimensions, to whose output it broadcasts; 0 where it repeats.
// The plan's dimensions of other sizes than 1 are those of the output, in order.
std::vector<int64_t> BroadcastStrides(const StridedSlicePlan& plan, const Shape& shape) {
  const std::vector<int64_t> strides = RowMajorStrides(shape);
  std::vector<int64_t> out(plan.dims.size(), 0);
  size_t at = plan.dims.size();
  for (int d = plan.output.rank() - 1, k = shape.rank() - 1; d >= 0 && k >= 0; --d, --k) {
    if (plan.output.dim(d) == 1) continue;
    do --at;
    while (plan.dims[at].count == 1);
    if (shape.dim(k) != 1) out[at] = strides[static_cast<size_t>(k)];
  }
  return out;
}

}  // namespace

StridedSliceBase::Layout StridedSliceBase::IntoSliceLayout(const StridedSlicePlan& plan, const Shape& slice,
                                                           const Shape& whole) {
  Layout layout = SliceLayout(plan, whole);
  const std::vector<int64_t> strides = BroadcastStrides(plan, slice);
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    layout.dims[d].to_stride = layout.dims[d].from_stride;
    layout.dims[d].from_stride = strides[d];
  }
  return layout;
}

}  // namespace dfrun
