#include "kernels/device/cpu_kernel.h"
#include "kernels/nn/pool/max_pool_grad.h"
#include "kernels/nn/pool/pool_kernel.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// (x, y, dy) to dx, the gradient to every element that equals y, as TensorFlow does in three dimensions.
struct ToEveryEqual {
  static constexpr bool kBack = false;
  template <class T>
  static void Image(const PoolShape& s, const T* x, const T* y, const T* dy, T* dx) {
    pooling::RoundedSums<pooling::SumType<T>>(dx, s.input_image(), [&](auto* sums) {
      pooling::ForEqual<T, false>(s, x, y, [=](int64_t in, int64_t out, bool hit) {
        sums[in] += hit ? static_cast<ComputeType<T>>(dy[out]) : ComputeType<T>(0);
      });
    });
  }
};

// (x, y, ddx) to ddy: ddx where x first equals y, 0 where it nowhere does.
struct FromFirstEqual {
  static constexpr bool kBack = true;
  template <class T>
  static void Image(const PoolShape& s, const T* x, const T* y, const T* ddx, T* ddy) {
    std::fill_n(ddy, s.output_image(), T(0.0F));
    pooling::ForEqual<T, true>(s, x, y,
                               [=](int64_t in, int64_t out, bool hit) { ddy[out] = hit ? ddx[in] : ddy[out]; });
  }
};

// orig_input, orig_output, grad; then the windows, where they are inputs.
template <class T, class Direction, WindowInputs kWindows>
class MaxPoolGradKernel final : public PoolKernel {
 public:
  explicit MaxPoolGradKernel(KernelSetup& setup) : PoolKernel(setup, kWindows) {
    CheckMaxPoolGradients(setup, DTypeOf<T>);
  }

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const Tensor& y = ctx.input(1);
    const Tensor& grad = ctx.input(2);
    DF_ASSIGN(const PoolShape s, ShapeOfMaxPoolGradient(ctx, kBack));
    Tensor* result = nullptr;
    DF_TRY(ctx.AllocateOutput(0, kBack ? s.output : x.shape(), &result));
    ForImages(s, ctx.pool(), [&](int64_t i) {
      const int64_t in = i * s.input_image();
      const int64_t out = i * s.output_image();
      Direction::Image(s, x.data<T>() + in, y.data<T>() + out, grad.data<T>() + (kBack ? in : out),
                       result->data<T>() + (kBack ? out : in));
    });
    return Status();
  }

 private:
  static constexpr bool kBack = Direction::kBack;
};

template <class Direction, WindowInputs kWindows = kWindowAttrs>
struct Gradient {
  template <class T>
  using Kernel = MaxPoolGradKernel<T, Direction, kWindows>;
};
using GradientV2 = Gradient<ToFirstLargest<false>, WindowInputs{3}>;
using SecondGradientV2 = Gradient<FromFirstEqual, WindowInputs{3}>;

CPU_KERNEL("MaxPoolGrad", Gradient<ToFirstLargest<false>>, DF_REAL);
CPU_KERNEL("_MaxPoolReluGrad", Gradient<ToFirstLargest<true>>, DF_REAL);
CPU_KERNEL("MaxPoolGradV2", GradientV2, DF_REAL);
CPU_KERNEL("MaxPoolGradGrad", Gradient<FromFirstEqual>, DF_REAL);
CPU_KERNEL("MaxPoolGradGradV2", SecondGradientV2, DF_REAL);
CPU_KERNEL("MaxPool3DGrad", Gradient<ToEveryEqual>, bfloat16, float16, float);
CPU_KERNEL("MaxPool3DGradGrad", Gradient<FromFirstEqual>, bfloat16, float16, float);

}  // namespace
}  // namespace dfrun
