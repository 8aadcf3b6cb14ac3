#include "kernels/array/element_size.h"
#include "kernels/array/fill_elements.h"
#include "kernels/array/int_values.h"
#include "kernels/array/strided_slice_kernel.h"
#include "kernels/device/cpu_kernel.h"

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
    std::vector<CopyDim> dims(size.size());
    for (int d = 0; d < rank; ++d) dims[d] = {size[d], strides[d], to_strides[d]};
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    StridedCopy(ctx.pool(), x.dtype(), ElementAt(x.raw(), x.dtype(), first), y->raw(), std::move(dims));
    return Status();
  }
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
      FillElements(ctx.pool(), static_cast<E*>(y->raw()), shape.num_elements(), E());
    });
    CopyIntoSlice(ctx.pool(), plan, dy, *y);
    return Status();
  }
};

CPU_KERNEL_ANY("Slice", SliceKernel);
CPU_KERNEL_ANY("StridedSlice", StridedSliceKernel);
CPU_KERNEL_ANY("StridedSliceGrad", StridedSliceGradKernel);

}  // namespace
}  // namespace dfrun
