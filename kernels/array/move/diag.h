// Diagonals of tensors as tensors of their own and back, on any device: Movement is the device's (movement_cpu.h).
#ifndef DFRUN_KERNELS_ARRAY_MOVE_DIAG_H_
#define DFRUN_KERNELS_ARRAY_MOVE_DIAG_H_

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/array/copy/strided_copy.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

template <class Movement>
class DiagKernel : public Kernel {
 public:
  explicit DiagKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    if (x.shape().rank() == 0) return InvalidArgument("Diag takes a tensor of rank 1 or more, not a scalar");
    std::vector<int64_t> dims(x.shape().dims().begin(), x.shape().dims().end());
    dims.insert(dims.end(), x.shape().dims().begin(), x.shape().dims().end());
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    const int64_t n = x.num_elements();
    if (n == 0) return Status();
    DF_TRY(Movement::Fill(ctx, *y, nullptr));
    return Movement::Copy(ctx, x.dtype(), x.raw(), y->raw(), {{n, 1, n + 1}});
  }
};

template <class Movement>
class DiagPartKernel : public Kernel {
 public:
  explicit DiagPartKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const std::span<const int64_t> dims = x.shape().dims();
    const size_t half = dims.size() / 2;
    if (dims.size() % 2 != 0 || dims.empty() || !std::equal(dims.begin(), dims.begin() + half, dims.begin() + half))
      return InvalidArgument("DiagPart of ", x.shape(), ": the second half of the shape must equal the first");
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(dims.first(half)), &y));
    const int64_t n = y->num_elements();
    if (n == 0) return Status();
    return Movement::Copy(ctx, x.dtype(), x.raw(), y->raw(), {{n, n + 1, 1}});
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_MOVE_DIAG_H_
