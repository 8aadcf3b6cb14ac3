// Pooling, and the gradient of averages, on GPUs.
#include "kernels/nn/pool/pool_cuda.h"

#include <type_traits>

#include "kernels/math/functions/reducers.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

using cuda::GpuPixel;
using cuda::GpuPool;
using cuda::GpuPoolKernel;
using cuda::GpuWindow;

template <class T>
using GpuMean = std::conditional_t<std::is_same_v<T, float>, double, ComputeType<T>>;

// The largest starts as the lowest finite value, and NaN is never larger. A thread has neighbouring channels.
template <class T, int kWidth>
DF_DEVICE_KERNEL void MaxOfWindows(GpuPool p, const T* x, T* y, int64_t n) {
  using C = ComputeType<T>;
  const int64_t i = cuda::GlobalThreadId() * kWidth;
  if (i >= n) return;
  const GpuPixel at = p.Output(i);
  const T* const image = x + at.image * p.input_image + at.channel;
  C largest[kWidth];
  for (int k = 0; k < kWidth; ++k) largest[k] = red::LowestOf<T>();
  GpuWindow::Of(p, at.plane, at.row, at.column).ForPixels(p, [&](int64_t pixel) {
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
DF_DEVICE_KERNEL void MeanOfWindows(GpuPool p, const T* x, T* y, int64_t n) {
  using C = GpuMean<T>;
  const int64_t i = cuda::GlobalThreadId() * kWidth;
  if (i >= n) return;
  const GpuPixel at = p.Output(i);
  const T* const image = x + at.image * p.input_image + at.channel;
  const GpuWindow window = GpuWindow::Of(p, at.plane, at.row, at.column);
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
DF_DEVICE_KERNEL void MeanGradient(GpuPool p, const T* dy, T* dx, int64_t n) {
  using C = GpuMean<T>;
  const int64_t i = cuda::GlobalThreadId() * kWidth;
  if (i >= n) return;
  const GpuPixel at = p.Input(i);
  const T* const gradients = dy + at.image * p.output_image + at.channel;
  C sums[kWidth] = {};
  p.ForWindowsOver(at, [&](const GpuWindow& window, int64_t output) {
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
class GpuForwardPool final : public GpuPoolKernel {
 public:
  explicit GpuForwardPool(KernelSetup& setup) : GpuPoolKernel(setup, WindowInputs{kKsize}) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const PoolShape s, ShapeOf(ctx, x.shape()));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, s.output, &y));
    return cuda::LaunchPool<Windows, T>(ctx, GpuPool(s), y->num_elements(), y->data<T>(), x.data<T>());
  }
};

template <class T>
class GpuAvgPoolGrad final : public GpuPoolKernel {
 public:
  explicit GpuAvgPoolGrad(KernelSetup& setup) : GpuPoolKernel(setup, kWindowAttrs) {}
  Status Compute(OpContext& ctx) {
    const Tensor& dy = ctx.input(1);
    Shape input;
    DF_ASSIGN(const PoolShape s, ShapeOfAverages(ctx, input));
    Tensor* dx = nullptr;
    DF_TRY(ctx.AllocateOutput(0, input, &dx));
    return cuda::LaunchPool<GradientOfMeans, T>(ctx, GpuPool(s), dx->num_elements(), dx->data<T>(), dy.data<T>());
  }
};

template <int kKsize>
struct MaxPool {
  template <class T>
  using Kernel = GpuForwardPool<T, LargestOfWindows, kKsize>;
};
struct AvgPool {
  template <class T>
  using Kernel = GpuForwardPool<T, MeansOfWindows, -1>;
};
struct AvgPoolGrad {
  template <class T>
  using Kernel = GpuAvgPoolGrad<T>;
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
