#include <algorithm>

#include "kernels/array/element_size.h"
#include "kernels/array/int_values.h"
#include "kernels/array/strided_copy.h"
#include "kernels/array/strided_slice_plan.h"
#include "src/framework/kernel.h"

namespace dfrun {
namespace {

class SliceKernel : public Kernel {
 public:
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
    std::vector<CopyDim> dims;
    for (int d = 0; d < rank; ++d) dims.push_back({size[d], strides[d], to_strides[d]});
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    StridedCopy(ctx.pool(), x.dtype(), ElementAt(x.raw(), x.dtype(), first), y->raw(), std::move(dims));
    return Status();
  }
};

class StridedSliceBase : public Kernel {
 public:
  explicit StridedSliceBase(KernelSetup& setup) {
    Result<StridedSliceMasks> masks = StridedSliceMasks::Read(setup.attrs());
    if (masks.ok()) {
      masks_ = *masks;
    } else {
      setup.Fail(masks.status());
    }
  }

 protected:
  // The plan for a tensor of `shape`, with begin, end and strides from input `first` on.
  Result<StridedSlicePlan> Plan(const OpContext& ctx, const Shape& shape, int first) const {
    DF_ASSIGN(const std::vector<int64_t> begin, IntVector(ctx.input(first), "begin"));
    DF_ASSIGN(const std::vector<int64_t> end, IntVector(ctx.input(first + 1), "end"));
    DF_ASSIGN(const std::vector<int64_t> strides, IntVector(ctx.input(first + 2), "strides"));
    return PlanStridedSlice(shape, begin, end, strides, masks_);
  }
  // The layout of the slice inside a tensor of `whole`, and the element where it begins.
  struct Layout {
    std::vector<CopyDim> dims;  // from_stride: in the whole; to_stride: in the slice
    int64_t first = 0;
  };
  static Layout SliceLayout(const StridedSlicePlan& plan, const Shape& whole) {
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

  StridedSliceMasks masks_;
};

class StridedSliceKernel : public StridedSliceBase {
 public:
  using StridedSliceBase::StridedSliceBase;
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const StridedSlicePlan plan, Plan(ctx, x.shape(), 1));
    DF_ASSIGN(const Shape shape, plan.output.ToShape());
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    Layout layout = SliceLayout(plan, x.shape());
    StridedCopy(ctx.pool(), x.dtype(), ElementAt(x.raw(), x.dtype(), layout.first), y->raw(), std::move(layout.dims));
    return Status();
  }
};

class StridedSliceGradKernel : public StridedSliceBase {
 public:
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
    VisitElement(y->dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      std::fill_n(static_cast<E*>(y->raw()), shape.num_elements(), E());
    });
    Layout layout = SliceLayout(plan, shape);
    for (CopyDim& d : layout.dims) std::swap(d.from_stride, d.to_stride);
    StridedCopy(ctx.pool(), y->dtype(), dy.raw(), ElementAt(y->raw(), y->dtype(), layout.first),
                std::move(layout.dims));
    return Status();
  }
};

CPU_KERNEL_ANY("Slice", SliceKernel);
CPU_KERNEL_ANY("StridedSlice", StridedSliceKernel);
CPU_KERNEL_ANY("StridedSliceGrad", StridedSliceGradKernel);

}  // namespace
}  // namespace dfrun
