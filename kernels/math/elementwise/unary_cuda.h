// The GPUs' engine of element-wise ops with one input: CUDA_KERNEL("Tanh", cuda::Unary<fn::Tanh>, float, double).
#ifndef DFRUN_KERNELS_MATH_ELEMENTWISE_UNARY_CUDA_H_
#define DFRUN_KERNELS_MATH_ELEMENTWISE_UNARY_CUDA_H_

#include <algorithm>

#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/functions/element.h"
#include "kernels/math/functions/element_cuda.h"
#include "kernels/math/functions/vector_cuda.h"

namespace dfrun::cuda {

// Launches an op over its elements: y may be x.
using UnaryLaunch = Status (*)(OpContext& ctx, const void* x, void* y, int64_t n);

class UnaryKernel : public Kernel {
 public:
  UnaryKernel(KernelSetup&, UnaryLaunch launch) : launch_(launch) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    Tensor* y = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, x.shape(), &y));
    return launch_(ctx, x.raw(), y->raw(), x.num_elements());
  }

 private:
  const UnaryLaunch launch_;
};

// y = f(x), for a map with map(x[i]) of the type of y's elements.
template <class Map, class T, class R>
DF_DEVICE_KERNEL void MapElements(const T* x, R* y, int64_t n, bool is_aligned, Map map) {
  constexpr int kWidth = WidthOf(sizeof(T) > sizeof(R) ? sizeof(T) : sizeof(R));
  const int64_t first = GlobalThreadId() * kWidth;
  if (is_aligned && first + kWidth <= n) {
    const ElementVector<T, kWidth> from = LoadVector<kWidth>(x + first);
    ElementVector<R, kWidth> to;
    for (int k = 0; k < kWidth; ++k) to.at[k] = map(from.at[k]);
    StoreVector<kWidth>(y + first, to);
    return;
  }
  for (int64_t i = first; i < n && i < first + kWidth; ++i) y[i] = map(x[i]);
}

template <class Map, class T, class R>
Status LaunchMap(OpContext& ctx, const T* x, R* y, int64_t n, const Map& map) {
  constexpr int kWidth = WidthOf(std::max(sizeof(T), sizeof(R)));
  return Launch(ctx, (n + kWidth - 1) / kWidth, &MapElements<Map, T, R>, x, y, n,
                IsVectorAligned(x) && IsVectorAligned(y), map);
}

// A functor as a map of elements.
template <class F, class T>
struct ElementMap {
  using C = ComputeType<T>;
  using Made = ElementResult<F, T, C>;
  DF_HOST_DEVICE Made operator()(T x) const { return static_cast<Made>(F()(static_cast<C>(x))); }
};

template <class F, class T>
Status LaunchUnary(OpContext& ctx, const void* x, void* y, int64_t n) {
  using Map = ElementMap<F, T>;
  return LaunchMap(ctx, static_cast<const T*>(x), static_cast<typename Map::Made*>(y), n, Map());
}

template <class F>
struct Unary {
  template <class T>
  struct Kernel : UnaryKernel {
    explicit Kernel(KernelSetup& setup) : UnaryKernel(setup, &LaunchUnary<F, GpuType<T>>) {}
  };
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_MATH_ELEMENTWISE_UNARY_CUDA_H_
