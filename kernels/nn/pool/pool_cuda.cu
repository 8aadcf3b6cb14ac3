// Pooling, and the gradient of averages, on cards.
#include "kernels/nn/pool/pool_cuda.h"

#include <type_traits>

#include "kernels/math/functions/reducers.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

using cuda::CardPixel;
using cuda::CardPool;
using cuda::CardPoolKernel;
using cuda::CardWindow;

template <class T>
using CardMean = std::conditional_t<std::is_same_v<T, float>, double, ComputeType<T>>;

// The largest starts as the lowest finite value, and NaN is never larger. A thread has neighbouring channels.
template <class T, int kWidth>
DF_CARD_KERNEL void MaxOfWindows(CardPool p, const T* x, T* y, int64_t n) {
  using C = ComputeType<T>;
  const int64_t i = cuda::ThreadInGrid() * kWidth;
  if (i >= n) return;
  const CardPixel at = p.Output(i);
  const T* const image = x + at.image * p.input_image + at.channel;
  C largest[kWidth];
  for (int k = 0; k < kWidth; ++k) largest[k] = red::LowestOf<T>();
  CardWindow::Of(p, at.plane, at.row, at.column).ForPixels(p, [&](int64_t pixel) {
    const auto values = cuda::LoadVector<kWidth>(image + pixel * p.channels);
    for (int k = 0; k < kWidth; ++k) {
      const C value = static_cast<C>(values.at[k]);
      largest[k] = value > largest[k] ? value : largest[k];
    }
  });
  cuda::ElementVector<T, kWidth> to;
  for (int k = 0; k < kWidth; ++k) to.at[k] = static_cast<T>(largest[k]);
  cuda::StoreVector<kWidth>(y + i, to);
}

template <class T, int kWidth>
DF_CARD_KERNEL void MeanOfWindows(CardPool p, const T* x, T* y, int64_t n) {
  using C = CardMean<T>;
  const int64_t i = cuda::ThreadInGrid() * kWidth;
  if (i >= n) return;
  const CardPixel at = p.Output(i);
  const T* const image = x + at.image * p.input_image + at.channel;
  const CardWindow window = CardWindow::Of(p, at.plane, at.row, at.column);
  C sums[kWidth] = {};
  window.ForPixels(p, [&](int64_t pixel) {
    const auto values = cuda::LoadVector<kWidth>(image + pixel * p.channels);
    for (int k = 0; k < kWidth; ++k) sums[k] += static_cast<C>(values.at[k]);
  });
  const C pixels = static_cast<C>(window.pixels());
  cuda::ElementVector<T, kWidth> to;
  for (int k = 0; k < kWidth; ++k) to.at[k] = static_cast<T>(sums[k] / pixels);
  cuda::StoreVector<kWidth>(y + i, to);
}

template <class T, int kWidth>
DF_CARD_KERNEL void MeanGradient(CardPool p, const T* dy, T* dx, int64_t n) {
  using C = CardMean<T>;
  const int64_t i = cuda::ThreadInGrid() * kWidth;
  if (i >= n) return;
  const CardPixel at = p.Input(i);
  const T* const gradients = dy + at.image * p.output_image + at.channel;
  C sums[kWidth] = {};
  p.ForWindowsOver(at, [&](const CardWindow& window, int64_t output) {
    const C share = C(1) / static_cast<C>(window.pixels());
    const auto values = cuda::LoadVector<kWidth>(gradients + output * p.channels);
    for (int k = 0; k < kWidth; ++k) sums[k] += static_cast<C>(values.at[k]) * share;
  });
  cuda::ElementVector<T, kWidth> to;
  for (int k = 0; k < kWidth; ++k) to.at[k] = static_cast<T>(sums[k]);
  cuda::StoreVector<kWidth>(dx + i, to);
}

struct LargestOfWindows {
  template <class T, int kWidth>
  static constexpr auto kKernel = &MaxOfWindows<T, kWidth>;
};
struct MeansOfWindows {
  template <class T, int kWidth>
  static constexpr auto kKernel = &MeanOfWindows<T, kWidth>;
};
struct GradientOfMeans {
  template <class T, int kWidth>
  static constexpr auto kKernel = &MeanGradient<T, kWidth>;
};

template <class T, class Windows, int kKsize>
class CardForwardPool final : public CardPoolKernel {
 public:
  explicit CardForwardPool(KernelSetup& setup) : CardPoolKernel(setup, WindowInputs{kKsize}) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const PoolShape s, ShapeOf(ctx, x.shape()));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, s.output, &y));
    return cuda::LaunchPool<Windows, T>(ctx, CardPool(s), y->num_elements(), y->data<T>(), x.data<T>());
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
    return cuda::LaunchPool<GradientOfMeans, T>(ctx, CardPool(s), dx->num_elements(), dx->data<T>(), dy.data<T>());
  }
};

template <int kKsize>
struct MaxPool {
  template <class T>
  using Kernel = CardForwardPool<T, LargestOfWindows, kKsize>;
};
struct AvgPool {
  template <class T>
  using Kernel = CardForwardPool<T, MeansOfWindows, -1>;
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
