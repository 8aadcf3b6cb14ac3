#include <algorithm>

#include "kernels/math/axis_loops.h"
#include "kernels/math/element_types.h"
#include "kernels/math/elementwise.h"
#include "kernels/math/reducers.h"
#include "src/framework/inference.h"
#include "src/framework/kernel.h"

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
      const int64_t block = std::max<int64_t>(1, kElementBlock / std::max<int64_t>(1, loops.size));
      ctx.pool().ParallelFor(loops.outer * loops.inner, block, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t first = i / loops.inner * loops.size * loops.inner + i % loops.inner;
          RunLine(x.data<T>() + first, y->data<T>() + first, loops.size, loops.inner);
        }
      });
      return Status();
    }

   private:
    void RunLine(const T* x, T* y, int64_t n, int64_t stride) const {
      auto sum = R::template Start<T>();
      for (int64_t i = 0; i < n; ++i) {
        const int64_t at = (reverse_ ? n - 1 - i : i) * stride;
        if (exclusive_) y[at] = R::template Finish<T>(sum, i);
        sum = R::Combine(sum, R::template Lift<T>(static_cast<ComputeType<T>>(x[at])));
        if (!exclusive_) y[at] = R::template Finish<T>(sum, i);
      }
    }
  };
};

CPU_KERNEL("Cumsum", Cumulative<red::Sum>, DF_NUMBERS);
CPU_KERNEL("Cumprod", Cumulative<red::Prod>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
