// StridedSliceBase: the plan and layout that kernels share which read a strided slice or write into one.
#ifndef DFRUN_KERNELS_ARRAY_MOVE_STRIDED_SLICE_KERNEL_H_
#define DFRUN_KERNELS_ARRAY_MOVE_STRIDED_SLICE_KERNEL_H_

#include <vector>

#include "kernels/array/copy/strided_copy.h"
#include "kernels/array/move/strided_slice_plan.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

class StridedSliceBase : public Kernel {
 public:
  explicit StridedSliceBase(KernelSetup& setup);

 protected:
  // The plan for a tensor of `shape`, with begin, end and strides from input `first` on.
  Result<StridedSlicePlan> Plan(const OpContext& ctx, const Shape& shape, int first) const;

  // The layout of the slice inside a tensor of `whole`, and the element where it begins.
  struct Layout {
    std::vector<CopyDim> dims;  // from_stride: in the whole; to_stride: in the slice
    int64_t first = 0;
  };
  static Layout SliceLayout(const StridedSlicePlan& plan, const Shape& whole);
  // The other way round, of a tensor of shape `slice` that broadcasts to the plan's output: from_stride in it,
  // to_stride in the whole.
  static Layout IntoSliceLayout(const StridedSlicePlan& plan, const Shape& slice, const Shape& whole);

 private:
  StridedSliceMasks masks_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_MOVE_STRIDED_SLICE_KERNEL_H_
