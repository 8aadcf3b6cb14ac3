#include <algorithm>

#include "kernels/math/element.h"
#include "kernels/math/elementwise.h"
#include "src/framework/kernel.h"

namespace dfrun {
namespace {

struct Clip {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup&) {}
    Status Compute(OpContext& ctx) {
      const Tensor& t = ctx.input(0);
      const Tensor& low = ctx.input(1);
      const Tensor& high = ctx.input(2);
      for (const Tensor* bound : {&low, &high}) {
        if (bound->num_elements() != 1 && !(bound->shape() == t.shape())) {
          return InvalidArgument("ClipByValue: the bounds must be scalars or of the shape ", t.shape(), ", not ",
                                 bound->shape());
        }
      }
      Tensor* out = nullptr;
      DF_TRY(ctx.ForwardOrAllocate(0, 0, t.shape(), &out));
      const int64_t low_stride = low.num_elements() == 1 ? 0 : 1;
      const int64_t high_stride = high.num_elements() == 1 ? 0 : 1;
      ctx.pool().ParallelFor(t.num_elements(), kElementBlock, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const C x = t.data<T>()[i];
          const C at_most = std::min<C>(x, high.data<T>()[i * high_stride]);
          out->data<T>()[i] = static_cast<T>(std::max<C>(at_most, low.data<T>()[i * low_stride]));
        }
      });
      return Status();
    }

   private:
    using C = ComputeType<T>;
  };
};

CPU_KERNEL("ClipByValue", Clip, bfloat16, float16, float, double, uint8_t, uint16_t, uint32_t, uint64_t, int8_t,
           int16_t, int32_t, int64_t);

}  // namespace
}  // namespace dfrun
