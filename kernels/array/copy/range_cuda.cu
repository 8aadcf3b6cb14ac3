#include <type_traits>

#include "kernels/array/copy/movement_cuda.h"
#include "kernels/array/copy/range_count.h"
#include "kernels/device/cuda/runtime/launch.h"

namespace dfrun {
namespace {

// start + i * delta. The product of integers may leave their range and come back.
template <class T, class C>
DF_DEVICE_KERNEL void RangeElements(C start, C delta, T* y, int64_t n) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  if constexpr (std::is_integral_v<C>) {
    y[i] = static_cast<T>(static_cast<uint64_t>(start) + static_cast<uint64_t>(i) * static_cast<uint64_t>(delta));
  } else {
    y[i] = static_cast<T>(start + static_cast<C>(i) * delta);
  }
}

class RangeKernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"start", "limit", "delta"};
};

struct RangeFamily {
  template <class T>
  class Kernel : public RangeKernel {
   public:
    explicit Kernel(KernelSetup&) {}
    Status Compute(OpContext& ctx) {
      for (int i = 0; i < 3; ++i) {
        if (ctx.input(i).shape().rank() == 0) continue;
        return InvalidArgument("Range takes scalars, but input ", i, " has shape ", ctx.input(i).shape());
      }
      using C = std::conditional_t<sizeof(T) == 2 && !std::is_integral_v<T>, float, T>;
      const C start = static_cast<C>(ctx.input(0).scalar<T>());
      const C delta = static_cast<C>(ctx.input(2).scalar<T>());
      DF_ASSIGN(const int64_t count, RangeCount<C>(start, static_cast<C>(ctx.input(1).scalar<T>()), delta));
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, Shape({count}), &y));
      return cuda::Launch(ctx, count, &RangeElements<T, C>, start, delta, y->data<T>(), count);
    }
  };
};

CUDA_KERNEL_ATTR("Range", "Tidx", RangeFamily, DF_FLOATS, DF_SIGNED, uint16_t, uint32_t, uint64_t);

}  // namespace
}  // namespace dfrun
