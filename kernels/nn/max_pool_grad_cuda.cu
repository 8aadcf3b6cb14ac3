// Gradients of max pooling on cards.
#include <type_traits>

#include "kernels/math/reducers.h"
#include "kernels/nn/pool_cuda.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

using cuda::CardPixel;
using cuda::CardPool;
using cuda::CardWindow;

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
  template <class T>
  static DF_HOST_DEVICE T At(const CardPool& p, const T* x, const T*, const T* dy, int64_t i) {
    using C = ComputeType<T>;
    const CardPixel at = p.Input(i);
    const T* const image = x + at.image * p.input_image + at.channel;
    const T* const gradients = dy + at.image * p.output_image + at.channel;
    const int64_t mine = p.InputPixel(at);
    GradientSum<T> sum = 0;
    p.ForWindowsOver(at, [&](const CardWindow& window, int64_t output) {
      int64_t index = -1;
      C largest = C();
      window.ForPixels(p, [&](int64_t pixel) {
        const C value = static_cast<C>(image[pixel * p.channels]);
        if (index < 0 || value > largest) {
          largest = value;
          index = pixel;
        }
      });
      if (index == mine) sum += AsTerm(gradients[output * p.channels]);
    });
    return static_cast<T>(sum);
  }
};

// (x, y, dy) to dx, the gradient to every element that equals y: what TensorFlow does in three dimensions.
struct ToEveryEqual {
  static constexpr bool kBack = false;
  template <class T>
  static DF_HOST_DEVICE T At(const CardPool& p, const T* x, const T* y, const T* dy, int64_t i) {
    const CardPixel at = p.Input(i);
    const int64_t image = at.image * p.output_image + at.channel;
    GradientSum<T> sum = 0;
    p.ForWindowsOver(at, [&](const CardWindow&, int64_t output) {
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
  static DF_HOST_DEVICE T At(const CardPool& p, const T* x, const T* y, const T* ddx, int64_t i) {
    const CardPixel at = p.Output(i);
    const int64_t image = at.image * p.input_image + at.channel;
    int64_t first = -1;
    CardWindow::Of(p, at.plane, at.row, at.column).ForPixels(p, [&](int64_t pixel) {
      const int64_t from = image + pixel * p.channels;
      if (first < 0 && x[from] == y[i]) first = from;
    });
    return first < 0 ? static_cast<T>(0.0F) : ddx[first];
  }
};

template <class Direction, class T>
DF_CARD_KERNEL void MaxPoolGradients(CardPool p, const T* x, const T* y, const T* grad, T* result, int64_t n) {
  const int64_t i = cuda::ThreadInGrid();
  if (i < n) result[i] = Direction::At(p, x, y, grad, i);
}

// orig_input, orig_output, grad; then the windows, where they are inputs.
template <class T, class Direction, int kKsize>
class MaxPoolGradKernel final : public cuda::CardPoolKernel {
 public:
  explicit MaxPoolGradKernel(KernelSetup& setup) : CardPoolKernel(setup, WindowInputs{kKsize}) {
    CheckMaxPoolGradients(setup, DTypeOf<T>);
  }
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const PoolShape s, ShapeOfMaxPoolGradient(ctx, Direction::kBack));
    Tensor* result = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Direction::kBack ? s.output : x.shape(), &result));
    const int64_t n = result->num_elements();
    return cuda::Launch(ctx, n, &MaxPoolGradients<Direction, T>, CardPool(s), x.data<T>(), ctx.input(1).data<T>(),
                        ctx.input(2).data<T>(), result->data<T>(), n);
  }
};

template <class Direction, int kKsize = -1>
struct Gradient {
  template <class T>
  using Kernel = MaxPoolGradKernel<T, Direction, kKsize>;
};
using GradientV2 = Gradient<ToFirstLargest, 3>;
using SecondGradientV2 = Gradient<FromFirstEqual, 3>;

CUDA_KERNEL("MaxPoolGrad", Gradient<ToFirstLargest>, DF_REAL);
CUDA_KERNEL("MaxPoolGradV2", GradientV2, DF_REAL);
CUDA_KERNEL("MaxPoolGradGrad", Gradient<FromFirstEqual>, DF_REAL);
CUDA_KERNEL("MaxPoolGradGradV2", SecondGradientV2, DF_REAL);
CUDA_KERNEL("MaxPool3DGrad", Gradient<ToEveryEqual>, bfloat16, float16, float);
CUDA_KERNEL("MaxPool3DGradGrad", Gradient<FromFirstEqual>, bfloat16, float16, float);

}  // namespace
}  // namespace dfrun
