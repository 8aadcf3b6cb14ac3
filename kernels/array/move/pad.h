// Padding with a constant, on any device: Movement is the device's (movement_cpu.h).
#ifndef DFRUN_KERNELS_ARRAY_MOVE_PAD_H_
#define DFRUN_KERNELS_ARRAY_MOVE_PAD_H_

#include <string_view>
#include <utility>
#include <vector>

#include "kernels/array/copy/strided_copy.h"
#include "kernels/array/int_values.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// Input 2, where there is one, is the constant.
template <class Movement>
class PadKernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"paddings"};
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
    DF_TRY(Movement::Fill(ctx, *y, ctx.num_inputs() > 2 ? ctx.input(2).raw() : nullptr));
    const std::vector<int64_t> paddings = IntValues(ctx.input(1));
    const std::vector<int64_t> from_strides = RowMajorStrides(x.shape());
    const std::vector<int64_t> to_strides = RowMajorStrides(shape);
    std::vector<CopyDim> dims;
    int64_t first = 0;
    for (int d = 0; d < rank; ++d) {
      dims.push_back({x.shape().dim(d), from_strides[d], to_strides[d]});
      first += paddings[2 * d] * to_strides[d];
    }
    if (x.num_elements() == 0) return Status();
    return Movement::Copy(ctx, x.dtype(), x.raw(), ElementAt(y->raw(), y->dtype(), first), std::move(dims));
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

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_MOVE_PAD_H_
