// Tensors of ones.
#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/functions/complex_cuda.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <class T>
DF_DEVICE_KERNEL void FillWithOne(T* to, int64_t n) {
  const int64_t i = cuda::GlobalThreadId();
  if (i < n) to[i] = static_cast<T>(1.0F);
}

struct OnesLike {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup&) {}
    Status Compute(OpContext& ctx) {
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, ctx.input(0).shape(), &y));
      using E = cuda::GpuType<T>;
      return cuda::Launch(ctx, y->num_elements(), &FillWithOne<E>, static_cast<E*>(y->raw()), y->num_elements());
    }
  };
};

CUDA_KERNEL("OnesLike", OnesLike, DF_NUMBERS, bool);

}  // namespace
}  // namespace dfrun
