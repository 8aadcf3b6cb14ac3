// Pooling, and the gradient of averages, on cards.
#include "kernels/nn/pool_cuda.h"

#include <type_traits>

#include "kernels/math/reducers.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

using cuda::CardPixel;
using cuda::CardPool;
using cuda::CardPoolKernel;
using cuda::CardWindow;

template <class T>
using CardMean = std::conditional_t<std::is_same_v<T, float>, double, ComputeType<T>>;

// The largest starts as the lowest finite value, and NaN is never larger.
template <class T>
DF_CARD_KERNEL void MaxOfWindows(CardPool p, const T* x, T* y, int64_t n) {
  using C = ComputeType<T>;
  const int64_t i = cuda::ThreadInGrid();
  if (i >= n) return;
  const CardPixel at = p.Output(i);
  const T* const image = x + at.image * p.input_image + at.channel;
  C largest = red::LowestOf<T>();
  CardWindow::Of(p, at.plane, at.row, at.column).ForPixels(p, [&](int64_t pixel) {
    const C value = static_cast<C>(image[pixel * p.channels]);
    largest = value > largest ? value : largest;
  });
  y[i] = static_cast<T>(largest);
}

template <class T>
DF_CARD_KERNEL void MeanOfWindows(CardPool p, const T* x, T* y, int64_t n) {
  using C = CardMean<T>;
  const int64_t i = cuda::ThreadInGrid();
  if (i >= n) return;
  const CardPixel at = p.Output(i);
  const T* const image = x + at.image * p.input_image + at.channel;
  const CardWindow window = CardWindow::Of(p, at.plane, at.row, at.column);
  C sum = 0;
  window.ForPixels(p, [&](int64_t pixel) { sum += static_cast<C>(image[pixel * p.channels]); });
  y[i] = static_cast<T>(sum / static_cast<C>(window.pixels()));
}

template <class T>
DF_CARD_KERNEL void MeanGradient(CardPool p, const T* dy, T* dx, int64_t n) {
  using C = CardMean<T>;
  const int64_t i = cuda::ThreadInGrid();
  if (i >= n) return;
  const CardPixel at = p.Input(i);
  const T* const gradients = dy + at.image * p.output_image + at.channel;
  C sum = 0;
  p.ForWindowsOver(at, [&](const CardWindow& window, int64_t output) {
    sum += static_cast<C>(gradients[output * p.channels]) * (C(1) / static_cast<C>(window.pixels()));
  });
  dx[i] = static_cast<T>(sum);
}

template <class T, void (*kWindows)(CardPool, const T*, T*, int64_t), int kKsize>
class CardForwardPool final : public CardPoolKernel {
 public:
  explicit CardForwardPool(KernelSetup& setup) : CardPoolKernel(setup, WindowInputs{kKsize}) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const PoolShape s, ShapeOf(ctx, x.shape()));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, s.output, &y));
    const int64_t n = y->num_elements();
    return cuda::Launch(ctx, n, kWindows, CardPool(s), x.data<T>(), y->data<T>(), n);
  }
};

template <class T>
class CardAvgPoolGrad final : public CardPoolKernel {
 public:
  explicit CardAvgPoolGrad(KernelSetup& setup) : CardPoolKernel(setup, kWindowAttrs) {}
  Status Compute(OpContext& ctx) {
    const Tensor& dy = ctx.input(1);
    Shape input;
    DF_ASSIGN(const PoolShape s, ShapeOfAverages(ctx, input));
    Tensor* dx = nullptr;
    DF_TRY(ctx.AllocateOutput(0, input, &dx));
    const int64_t n = dx->num_elements();
    return cuda::Launch(ctx, n, &MeanGradient<T>, CardPool(s), dy.data<T>(), dx->data<T>(), n);
  }
};

template <int kKsize>
struct MaxPool {
  template <class T>
  using Kernel = CardForwardPool<T, &MaxOfWindows<T>, kKsize>;
};
struct AvgPool {
  template <class T>
  using Kernel = CardForwardPool<T, &MeanOfWindows<T>, -1>;
};
struct AvgPoolGrad {
  template <class T>
  using Kernel = CardAvgPoolGrad<T>;
};

CUDA_KERNEL("MaxPool", MaxPool<-1>, DF_FLOATS, DF_SIGNED, uint8_t, uint16_t);
CUDA_KERNEL("MaxPoolV2", MaxPool<1>, DF_FLOATS, DF_SIGNED, uint8_t, uint16_t);
CUDA_KERNEL("MaxPool3D", MaxPool<-1>, bfloat16, float16, float);
CUDA_KERNEL("AvgPool", AvgPool, DF_FLOATS);
CUDA_KERNEL("AvgPool3D", AvgPool, DF_FLOATS);
CUDA_KERNEL("AvgPoolGrad", AvgPoolGrad, DF_FLOATS);
CUDA_KERNEL("AvgPool3DGrad", AvgPoolGrad, DF_FLOATS);

}  // namespace
}  // namespace dfrun
