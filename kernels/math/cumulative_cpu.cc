#include <algorithm>

#include "kernels/device/cpu_kernel.h"
#include "kernels/math/axis_loops.h"
#include "kernels/math/elementwise.h"
#include "kernels/math/reducers.h"
#include "src/base/integers.h"
#include "src/framework/element_types.h"
#include "src/framework/inference.h"

namespace dfrun {
namespace {

class CumulativeKernel : public Kernel {
 public:
  explicit CumulativeKernel(KernelSetup& setup)
      : exclusive_(setup.attr<bool>("exclusive")), reverse_(setup.attr<bool>("reverse")) {}

 protected:
  static Result<int64_t> ReadAxis(const OpContext& ctx) {
    const Tensor& axis = ctx.input(1);
    if (axis.shape().rank() != 0) return InvalidArgument("the axis has shape ", axis.shape(), ", but must be a scalar");
    const int64_t value = axis.dtype() == DType::kInt64 ? axis.scalar<int64_t>() : axis.scalar<int32_t>();
    return CanonicalAxis(value, ctx.input(0).shape().rank());
  }
  const bool exclusive_;
  const bool reverse_;
};

template <class R>
struct Cumulative {
  template <class T>
  class Kernel : public CumulativeKernel {
   public:
    explicit Kernel(KernelSetup& setup) : CumulativeKernel(setup) {}
    Status Compute(OpContext& ctx) {
      const Tensor& x = ctx.input(0);
      DF_ASSIGN(const int64_t axis, ReadAxis(ctx));
      const AxisLoops loops(x.shape(), static_cast<int>(axis));
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
      if (loops.inner == 1) {
        const int64_t lines = std::max<int64_t>(1, kElementBlock / std::max<int64_t>(1, loops.size));
        ctx.pool().ParallelFor(loops.outer, lines, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            RunLine(x.data<T>() + i * loops.size, y->data<T>() + i * loops.size, loops.size);
        });
        return Status();
      }
      // Lines that lie side by side are summed up side by side.
      const int64_t width = std::min(loops.inner, kSideBySide);
      const int64_t tiles = CeilDiv(loops.inner, kSideBySide);
      const int64_t block = std::max<int64_t>(1, kElementBlock / std::max<int64_t>(1, loops.size * width));
      ctx.pool().ParallelFor(loops.outer * tiles, block, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t column = i % tiles * kSideBySide;
          const int64_t first = i / tiles * loops.size * loops.inner + column;
          RunLines(x.data<T>() + first, y->data<T>() + first, loops.size, loops.inner,
                   std::min(kSideBySide, loops.inner - column));
        }
      });
      return Status();
    }

   private:
    static constexpr int64_t kSideBySide = 256;
    using Accumulator = typename R::template Accumulator<T>;

    // The next element of a line, and the sum before or after it.
    template <bool kExclusive>
    static void Step(Accumulator& sum, const T& x, T& y, int64_t before) {
      if (kExclusive) y = R::template Finish<T>(sum, before);
      sum = R::Combine(sum, R::template Lift<T>(static_cast<ComputeType<T>>(x)));
      if (!kExclusive) y = R::template Finish<T>(sum, before);
    }
    void RunLine(const T* x, T* y, int64_t n) const {
      auto sum = R::template Start<T>();
      for (int64_t i = 0; i < n; ++i) {
        const int64_t at = reverse_ ? n - 1 - i : i;
        exclusive_ ? Step<true>(sum, x[at], y[at], i) : Step<false>(sum, x[at], y[at], i);
      }
    }
    // `width` lines; elements of a line are `stride` apart.
    void RunLines(const T* x, T* y, int64_t n, int64_t stride, int64_t width) const {
      exclusive_ ? RunLinesOf<true>(x, y, n, stride, width) : RunLinesOf<false>(x, y, n, stride, width);
    }
    template <bool kExclusive>
    void RunLinesOf(const T* x, T* y, int64_t n, int64_t stride, int64_t width) const {
      Accumulator sums[kSideBySide];
      std::fill_n(sums, width, R::template Start<T>());
      for (int64_t i = 0; i < n; ++i) {
        const int64_t at = (reverse_ ? n - 1 - i : i) * stride;
        const T* from = x + at;
        T* to = y + at;
        DF_INDEPENDENT_ITERATIONS
        for (int64_t j = 0; j < width; ++j) Step<kExclusive>(sums[j], from[j], to[j], i);
      }
    }
  };
};

CPU_KERNEL("Cumsum", Cumulative<red::Sum>, DF_NUMBERS);
CPU_KERNEL("Cumprod", Cumulative<red::Prod>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
