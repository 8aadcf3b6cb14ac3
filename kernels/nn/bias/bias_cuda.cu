// Biases by channel, and their gradients.
#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/functions/complex_cuda.h"
#include "kernels/math/functions/functors.h"
#include "kernels/math/functions/reducers.h"
#include "kernels/math/functions/vector_cuda.h"
#include "kernels/math/reduce/reduction_cuda.h"
#include "kernels/nn/bias/bias.h"
#include "src/base/integers.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// y[o, c, i] = x[o, c, i] + bias[c]. Where `by_vector`, the elements of a thread have neighbouring channels.
template <class T, class Index>
DF_DEVICE_KERNEL void AddBias(const T* x, const T* bias, T* y, int64_t n, Index channels, Index inner, bool by_vector) {
  using C = ComputeType<T>;
  constexpr int kWidth = cuda::WidthOf(sizeof(T));
  const int64_t first = cuda::GlobalThreadId() * kWidth;
  if (first >= n) return;
  if (by_vector) {
    cuda::ElementVector<T, kWidth> values = cuda::LoadVector<kWidth>(x + first);
    const auto biases = cuda::LoadVector<kWidth>(bias + static_cast<Index>(first) % channels);
    for (int k = 0; k < kWidth; ++k) {
      values.at[k] = static_cast<T>(fn::Add()(static_cast<C>(values.at[k]), static_cast<C>(biases.at[k])));
    }
    cuda::StoreVector<kWidth>(y + first, values);
    return;
  }
  for (int64_t i = first; i < n && i < first + kWidth; ++i) {
    const Index channel = static_cast<Index>(i) / inner % channels;
    y[i] = static_cast<T>(fn::Add()(static_cast<C>(x[i]), static_cast<C>(bias[channel])));
  }
}

template <class T>
class BiasAddKernel final : public Kernel {
 public:
  explicit BiasAddKernel(KernelSetup& setup) : channels_first_(IsBiasOfChannelsFirst(setup)) {}

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const Tensor& bias = ctx.input(1);
    DF_ASSIGN(const ChannelLayout layout, LayoutOfBias(x.shape(), bias.shape(), channels_first_));
    Tensor* y = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, x.shape(), &y));
    return y->num_elements() <= INT32_MAX ? Add<uint32_t>(ctx, layout, x, bias, *y)
                                          : Add<uint64_t>(ctx, layout, x, bias, *y);
  }

 private:
  template <class Index>
  static Status Add(OpContext& ctx, const ChannelLayout& layout, const Tensor& x, const Tensor& bias, Tensor& y) {
    using E = cuda::GpuType<T>;
    constexpr int kWidth = cuda::WidthOf(sizeof(E));
    const int64_t n = y.num_elements();
    const bool by_vector = layout.inner == 1 && layout.channels % kWidth == 0 && cuda::IsVectorAligned(x.raw()) &&
                           cuda::IsVectorAligned(bias.raw()) && cuda::IsVectorAligned(y.raw());
    return cuda::Launch(ctx, CeilDiv<int64_t>(n, kWidth), &AddBias<E, Index>, static_cast<const E*>(x.raw()),
                        static_cast<const E*>(bias.raw()), static_cast<E*>(y.raw()), n, layout.channels, layout.inner,
                        by_vector);
  }

  const bool channels_first_;
};

template <class T>
class BiasAddGradKernel final : public Kernel {
 public:
  explicit BiasAddGradKernel(KernelSetup& setup) : channels_first_(setup.attr<std::string>("data_format") == "NCHW") {}

  Status Compute(OpContext& ctx) {
    const Tensor& dy = ctx.input(0);
    DF_ASSIGN(const ChannelLayout layout, ChannelLayout::Of(dy.shape(), channels_first_));
    Tensor* sums = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({layout.channels}), &sums));
    ReductionPlan plan;
    Shape output;
    DF_TRY(
        PlanReduction(Shape({layout.outer, layout.channels, layout.inner}), {true, false, true}, false, plan, output));
    return cuda::LaunchReduce<red::Sum, cuda::GpuType<T>>(ctx, plan, dy.raw(), sums->raw());
  }

 private:
  const bool channels_first_;
};

CUDA_KERNEL("BiasAdd", KernelOf<BiasAddKernel>, DF_NUMBERS);
CUDA_KERNEL("BiasAddV1", KernelOf<BiasAddKernel>, DF_NUMBERS);
CUDA_KERNEL("BiasAddGrad", KernelOf<BiasAddGradKernel>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
