#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/functions/clip.h"
#include "kernels/math/functions/element.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// The lower bound wins where the bounds cross.
template <class T>
DF_DEVICE_KERNEL void ClipElements(const T* x, const T* low, const T* high, T* y, int64_t n, int low_step,
                                   int high_step) {
  using C = ComputeType<T>;
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  const C least = static_cast<C>(low[i * low_step]);
  const C most = static_cast<C>(high[i * high_step]);
  C value = static_cast<C>(x[i]);
  value = most < value ? most : value;
  y[i] = static_cast<T>(value < least ? least : value);
}

struct Clip {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup&) {}
    Status Compute(OpContext& ctx) {
      const Tensor& t = ctx.input(0);
      const Tensor& low = ctx.input(1);
      const Tensor& high = ctx.input(2);
      for (const Tensor* bound : {&low, &high}) DF_TRY(CheckBound(t.shape(), bound->shape()));
      Tensor* out = nullptr;
      DF_TRY(ctx.ForwardOrAllocate(0, 0, t.shape(), &out));
      return cuda::Launch(ctx, t.num_elements(), &ClipElements<T>, t.data<T>(), low.data<T>(), high.data<T>(),
                          out->data<T>(), t.num_elements(), low.shape().rank() == 0 ? 0 : 1,
                          high.shape().rank() == 0 ? 0 : 1);
    }
  };
};

CUDA_KERNEL("ClipByValue", Clip, DF_REAL);

}  // namespace
}  // namespace dfrun
