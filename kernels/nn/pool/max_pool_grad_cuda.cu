// Gradients of max pooling on GPUs.
#include <type_traits>

#include "kernels/math/functions/reducers.h"
#include "kernels/nn/pool/pool_cuda.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

using cuda::GpuPixel;
using cuda::GpuPool;
using cuda::GpuWindow;

template <class T>
using GradientSum = typename std::conditional_t<std::is_integral_v<T>, red::WideOf<T>, ComputeTypeOf<T>>::type;

template <class T>
DF_HOST_DEVICE GradientSum<T> AsTerm(T value) {
  return static_cast<GradientSum<T>>(static_cast<ComputeType<T>>(value));
}

// (x, y, dy) to dx, the gradient to the first largest element of each window, whatever y is; NaN is the largest only
// where it comes first.
struct ToFirstLargest {
  static constexpr bool kBack = false;
  template <class T, int kWidth>
  static DF_DEVICE_FUNCTION void At(const GpuPool& p, const T* x, const T*, const T* dy, int64_t i, T* dx) {
    using C = ComputeType<T>;
    const GpuPixel at = p.Input(i);
    const T* const image = x + at.image * p.input_image + at.channel;
    const T* const gradients = dy + at.image * p.output_image + at.channel;
    const int64_t mine = p.InputPixel(at);
    GradientSum<T> sums[kWidth] = {};
    p.ForWindowsOver(at, [&](const GpuWindow& window, int64_t output) {
      int64_t index[kWidth];
      C largest[kWidth];
      for (int k = 0; k < kWidth; ++k) index[k] = -1;
      window.ForPixels(p, [&](int64_t pixel) {
        const auto values = cuda::LoadVector<kWidth>(image + pixel * p.channels);
        for (int k = 0; k < kWidth; ++k) {
          const C value = static_cast<C>(values.at[k]);
          if (index[k] >= 0 && !(value > largest[k])) continue;
          largest[k] = value;
          index[k] = pixel;
        }
      });
      const auto values = cuda::LoadVector<kWidth>(gradients + output * p.channels);
      for (int k = 0; k < kWidth; ++k) {
        if (index[k] == mine) sums[k] += AsTerm(values.at[k]);
      }
    });
    cuda::ElementVector<T, kWidth> to;
    for (int k = 0; k < kWidth; ++k) to.at[k] = static_cast<T>(sums[k]);
    cuda::StoreVector<kWidth>(dx + i, to);
  }
};

// A direction that looks at one element at a time.
template <class Direction>
struct OneByOne {
  static constexpr bool kBack = Direction::kBack;
  template <class T, int kWidth>
  static DF_DEVICE_FUNCTION void At(const GpuPool& p, const T* x, const T* y, const T* grad, int64_t i, T* result) {
    for (int k = 0; k < kWidth; ++k) result[i + k] = Direction::At(p, x, y, grad, i + k);
  }
};

// (x, y, dy) to dx, the gradient to every element that equals y: what TensorFlow does in three dimensions.
struct ToEveryEqual {
  static constexpr bool kBack = false;
  template <class T>
  static DF_HOST_DEVICE T At(const GpuPool& p, const T* x, const T* y, const T* dy, int64_t i) {
    const GpuPixel at = p.Input(i);
    const int64_t image = at.image * p.output_image + at.channel;
    GradientSum<T> sum = 0;
    p.ForWindowsOver(at, [&](const GpuWindow&, int64_t output) {
      const int64_t to = image + output * p.channels;
      if (x[i] == y[to]) sum += AsTerm(dy[to]);
    });
    return static_cast<T>(sum);
  }
};

// (x, y, ddx) to ddy: ddx where x first equals y, 0 where it nowhere does.
struct FromFirstEqual {
  static constexpr bool kBack = true;
  template <class T>
  static DF_HOST_DEVICE T At(const GpuPool& p, const T* x, const T* y, const T* ddx, int64_t i) {
    const GpuPixel at = p.Output(i);
    const int64_t image = at.image * p.input_image + at.channel;
    int64_t first = -1;
    GpuWindow::Of(p, at.plane, at.row, at.column).ForPixels(p, [&](int64_t pixel) {
      const int64_t from = image + pixel * p.channels;
      if (first < 0 && x[from] == y[i]) first = from;
    });
    return first < 0 ? static_cast<T>(0.0F) : ddx[first];
  }
};

template <class Direction, class T, int kWidth>
DF_DEVICE_KERNEL void MaxPoolGradients(GpuPool p, const T* x, const T* y, const T* grad, T* result, int64_t n) {
  const int64_t i = cuda::GlobalThreadId() * kWidth;
  if (i < n) Direction::template At<T, kWidth>(p, x, y, grad, i, result);
}
template <class Direction>
struct GradientKernels {
  template <class T, int kWidth>
  static constexpr auto kKernel = &MaxPoolGradients<Direction, T, kWidth>;
};

// orig_input, orig_output, grad; then the windows, where they are inputs.
template <class T, class Direction, int kKsize>
class MaxPoolGradKernel final : public cuda::GpuPoolKernel {
 public:
  explicit MaxPoolGradKernel(KernelSetup& setup) : GpuPoolKernel(setup, WindowInputs{kKsize}) {
    CheckMaxPoolGradients(setup, DTypeOf<T>);
  }
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const PoolShape s, ShapeOfMaxPoolGradient(ctx, Direction::kBack));
    Tensor* result = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Direction::kBack ? s.output : x.shape(), &result));
    return cuda::LaunchPool<GradientKernels<Direction>, T>(ctx, GpuPool(s), result->num_elements(), result->data<T>(),
                                                           x.data<T>(), ctx.input(1).data<T>(), ctx.input(2).data<T>());
  }
};

template <class Direction, int kKsize = -1>
struct Gradient {
  template <class T>
  using Kernel = MaxPoolGradKernel<T, Direction, kKsize>;
};
using GradientV2 = Gradient<ToFirstLargest, 3>;
using SecondGradientV2 = Gradient<OneByOne<FromFirstEqual>, 3>;

CUDA_KERNEL("MaxPoolGrad", Gradient<ToFirstLargest>, DF_REAL);
CUDA_KERNEL("MaxPoolGradV2", GradientV2, DF_REAL);
CUDA_KERNEL("MaxPoolGradGrad", Gradient<OneByOne<FromFirstEqual>>, DF_REAL);
CUDA_KERNEL("MaxPoolGradGradV2", SecondGradientV2, DF_REAL);
CUDA_KERNEL("MaxPool3DGrad", Gradient<OneByOne<ToEveryEqual>>, bfloat16, float16, float);
CUDA_KERNEL("MaxPool3DGradGrad", Gradient<OneByOne<FromFirstEqual>>, bfloat16, float16, float);

}  // namespace
}  // namespace dfrun
