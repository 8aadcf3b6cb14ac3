#include <algorithm>

#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/elementwise.h"
#include "kernels/math/functions/clip.h"
#include "kernels/math/functions/element.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// The lower bound wins where the bounds cross. The parts of a complex number are held apart.
template <class T>
T Between(T x, T low, T high) {
  if constexpr (kIsComplex<T>) {
    return {Between(x.real(), low.real(), high.real()), Between(x.imag(), low.imag(), high.imag())};
  } else {
    using C = ComputeType<T>;
    return static_cast<T>(std::max<C>(std::min<C>(x, high), low));
  }
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
      const int64_t low_stride = low.shape().rank() == 0 ? 0 : 1;
      const int64_t high_stride = high.shape().rank() == 0 ? 0 : 1;
      const bool streams = !out->SharesBufferWith(t) && IsStreamed(t.num_elements(), sizeof(T));
      MakeElements(ctx.pool(), out->raw(), sizeof(T), t.num_elements(), streams, [&](int64_t at, int64_t n, void* to) {
        Run(t.data<T>() + at, low.data<T>() + at * low_stride, low_stride, high.data<T>() + at * high_stride,
            high_stride, static_cast<T*>(to), n);
      });
      return Status();
    }

   private:
    static void Run(const T* x, const T* low, int64_t low_stride, const T* high, int64_t high_stride, T* y, int64_t n) {
      if (low_stride == 0 && high_stride == 0) {
        const T first_low = *low;
        const T first_high = *high;
        DF_INDEPENDENT_ITERATIONS
        for (int64_t i = 0; i < n; ++i) y[i] = Between(x[i], first_low, first_high);
      } else {
        for (int64_t i = 0; i < n; ++i) y[i] = Between(x[i], low[i * low_stride], high[i * high_stride]);
      }
    }
  };
};

CPU_KERNEL("ClipByValue", Clip, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
