// LaunchZip(): runs a map over the elements of two tensors of one shape, side by side, on a GPU.
#ifndef DFRUN_KERNELS_MATH_ELEMENTWISE_ZIP_CUDA_H_
#define DFRUN_KERNELS_MATH_ELEMENTWISE_ZIP_CUDA_H_

#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/functions/vector_cuda.h"

namespace dfrun::cuda {

// z = map(x, y); z may be x or y.
template <class Map, class X, class Y, class Z>
DF_DEVICE_KERNEL void ZipElements(const X* x, const Y* y, Z* z, int64_t n, bool is_aligned, Map map) {
  constexpr int kWidth = WidthOf(sizeof(X) > sizeof(Y) ? sizeof(X) : sizeof(Y));
  const int64_t first = GlobalThreadId() * kWidth;
  if (is_aligned && first + kWidth <= n) {
    const ElementVector<X, kWidth> a = LoadVector<kWidth>(x + first);
    const ElementVector<Y, kWidth> b = LoadVector<kWidth>(y + first);
    ElementVector<Z, kWidth> to;
    for (int k = 0; k < kWidth; ++k) to.at[k] = map(a.at[k], b.at[k]);
    StoreVector<kWidth>(z + first, to);
    return;
  }
  for (int64_t i = first; i < n && i < first + kWidth; ++i) z[i] = map(x[i], y[i]);
}

// Elements of z are not larger than the larger of x and y.
template <class Map, class X, class Y, class Z>
Status LaunchZip(OpContext& ctx, const X* x, const Y* y, Z* z, int64_t n, const Map& map) {
  constexpr size_t kBytes = sizeof(X) > sizeof(Y) ? sizeof(X) : sizeof(Y);
  static_assert(sizeof(Z) <= kBytes);
  constexpr int kWidth = WidthOf(kBytes);
  return Launch(ctx, (n + kWidth - 1) / kWidth, &ZipElements<Map, X, Y, Z>, x, y, z, n,
                IsVectorAligned(x) && IsVectorAligned(y) && IsVectorAligned(z), map);
}

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_MATH_ELEMENTWISE_ZIP_CUDA_H_
