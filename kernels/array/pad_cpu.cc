#include "kernels/array/element_size.h"
#include "kernels/array/fill_elements.h"
#include "kernels/array/int_values.h"
#include "kernels/array/strided_copy.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

// Input 2, where there is one, is the constant.
class PadKernel : public Kernel {
 public:
  explicit PadKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const int rank = x.shape().rank();
    if (!(ctx.input(1).shape() == Shape({rank, 2})))
      return InvalidArgument("the paddings have shape ", ctx.input(1).shape(), ", but must be [", rank, ",2]");
    if (ctx.num_inputs() > 2 && ctx.input(2).shape().rank() != 0)
      return InvalidArgument("the constant has shape ", ctx.input(2).shape(), ", but must be a scalar");
    DF_ASSIGN(const Shape shape, PaddedShape(x.shape(), IntValues(ctx.input(1))));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    VisitElement(y->dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      const E border = ctx.num_inputs() > 2 ? *static_cast<const E*>(ctx.input(2).raw()) : E();
      FillElements(ctx.pool(), static_cast<E*>(y->raw()), shape.num_elements(), border);
    });
    const std::vector<int64_t> paddings = IntValues(ctx.input(1));
    const std::vector<int64_t> from_strides = RowMajorStrides(x.shape());
    const std::vector<int64_t> to_strides = RowMajorStrides(shape);
    std::vector<CopyDim> dims;
    int64_t first = 0;
    for (int d = 0; d < rank; ++d) {
      dims.push_back({x.shape().dim(d), from_strides[d], to_strides[d]});
      first += paddings[2 * d] * to_strides[d];
    }
    if (x.num_elements() > 0)
      StridedCopy(ctx.pool(), x.dtype(), x.raw(), ElementAt(y->raw(), y->dtype(), first), std::move(dims));
    return Status();
  }

 private:
  static Result<Shape> PaddedShape(const Shape& x, const std::vector<int64_t>& paddings) {
    std::vector<int64_t> sizes(x.dims().begin(), x.dims().end());
    for (int d = 0; d < x.rank(); ++d) {
      const int64_t before = paddings[2 * d];
      const int64_t after = paddings[2 * d + 1];
      if (before < 0 || after < 0 || __builtin_add_overflow(sizes[d], before, &sizes[d]) ||
          __builtin_add_overflow(sizes[d], after, &sizes[d]))
        return InvalidArgument("paddings ", before, " and ", after, " of dimension ", d, " of ", x, " make no shape");
    }
    return Shape::Create(sizes);
  }
};

CPU_KERNEL_ANY("Pad", PadKernel);
CPU_KERNEL_ANY("PadV2", PadKernel);

}  // namespace
}  // namespace dfrun
