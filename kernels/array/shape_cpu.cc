#include "kernels/array/int_values.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class RankKernel : public Kernel {
 public:
  explicit RankKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &y));
    *y->data<int32_t>() = ctx.input(0).shape().rank();
    return Status();
  }
};

class ShapeKernel : public Kernel {
 public:
  explicit ShapeKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const Shape& shape = ctx.input(i).shape();
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(i, Shape({shape.rank()}), &y));
      DF_TRY(StoreInts({shape.dims().begin(), shape.dims().end()}, *y));
    }
    return Status();
  }
};

class SizeKernel : public Kernel {
 public:
  explicit SizeKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &y));
    return StoreInts({ctx.input(0).num_elements()}, *y);
  }
};

CPU_KERNEL_ANY("Rank", RankKernel);
CPU_KERNEL_ANY("Shape", ShapeKernel);
CPU_KERNEL_ANY("ShapeN", ShapeKernel);
CPU_KERNEL_ANY("Size", SizeKernel);

}  // namespace
}  // namespace dfrun
