#include <algorithm>

#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/elementwise.h"
#include "kernels/math/functions/reducers.h"
#include "kernels/math/reduce/cumulative.h"
#include "src/base/integers.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <class R>
struct Cumulative {
  template <class T>
  class Kernel : public CumulativeBase {
   public:
    using CumulativeBase::CumulativeBase;
    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const AxisLoops loops, ReadLoops(ctx));
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, ctx.input(0).shape(), &y));
      const auto x = Operands::Of(ctx);
      if (loops.inner == 1) {
        const int64_t lines = std::max<int64_t>(1, kElementBlock / std::max<int64_t>(1, loops.size));
        ctx.pool().ParallelFor(loops.outer, lines, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            RunLine(x.From(i * loops.size), y->data<T>() + i * loops.size, loops.size);
        });
        return Status();
      }
      // Lines that lie side by side are folded side by side.
      const int64_t width = std::min(loops.inner, kSideBySide);
      const int64_t tiles = CeilDiv(loops.inner, kSideBySide);
      const int64_t block = std::max<int64_t>(1, kElementBlock / std::max<int64_t>(1, loops.size * width));
      ctx.pool().ParallelFor(loops.outer * tiles, block, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t column = i % tiles * kSideBySide;
          const int64_t first = i / tiles * loops.size * loops.inner + column;
          RunLines(x.From(first), y->data<T>() + first, loops.size, loops.inner,
                   std::min(kSideBySide, loops.inner - column));
        }
      });
      return Status();
    }

   private:
    static constexpr int64_t kSideBySide = 256;
    using Accumulator = typename R::template Accumulator<T>;
    using Operands = ReduceOperands<R, T>;

    void RunLine(const Operands& x, T* y, int64_t n) const {
      auto reduce = R::template Start<T>();
      for (int64_t i = 0; i < n; ++i) {
        const int64_t at = reverse_ ? n - 1 - i : i;
        CumulativeStep<R, T>(exclusive_, reduce, x.Lift(at), y[at], i);
      }
    }
    // `width` lines; elements of a line are `stride` apart.
    void RunLines(const Operands& x, T* y, int64_t n, int64_t stride, int64_t width) const {
      exclusive_ ? RunLinesOf<true>(x, y, n, stride, width) : RunLinesOf<false>(x, y, n, stride, width);
    }
    template <bool kExclusive>
    void RunLinesOf(const Operands& x, T* y, int64_t n, int64_t stride, int64_t width) const {
      Accumulator reduces[kSideBySide];
      std::fill_n(reduces, width, R::template Start<T>());
      for (int64_t i = 0; i < n; ++i) {
        const int64_t at = (reverse_ ? n - 1 - i : i) * stride;
        const Operands from = x.From(at);
        T* to = y + at;
        DF_INDEPENDENT_ITERATIONS
        for (int64_t j = 0; j < width; ++j) CumulativeStep<R, T>(kExclusive, reduces[j], from.Lift(j), to[j], i);
      }
    }
  };
};

CPU_KERNEL("Cumsum", Cumulative<red::Sum>, DF_NUMBERS);
CPU_KERNEL("Cumprod", Cumulative<red::Prod>, DF_NUMBERS);
CPU_KERNEL("LinearRecurrence", Cumulative<LinearSteps>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
