// The gradient of max pooling by an image, perhaps through the Relu that gave the image.
#ifndef DFRUN_KERNELS_NN_POOL_MAX_POOL_GRAD_H_
#define DFRUN_KERNELS_NN_POOL_MAX_POOL_GRAD_H_

#include <vector>

#include "kernels/math/functions/activations.h"
#include "kernels/nn/pool/pool_loops.h"
#include "kernels/nn/pool/pool_vectors.h"

namespace dfrun {
namespace internal {

// dy where x > 0.
template <class T>
T ThroughRelu(T dy, T x) {
  using C = ComputeType<T>;
  return static_cast<T>(fn::ReluGrad()(static_cast<C>(dy), static_cast<C>(x)));
}

}  // namespace internal

// The gradient of one image: (x, y, dy) to dx. The first largest element of x has the gradient, whatever y is.
// kThroughRelu: x is a Relu's result, and the gradient goes through that Relu too.
template <bool kThroughRelu>
struct ToFirstLargest {
  static constexpr bool kBack = false;
  template <class T>
  static void Image(const PoolShape& s, const T* x, const T*, const T* dy, T* dx) {
    if (s.windows_are_disjoint()) return DisjointWindows(s, x, dy, dx);
    OverlappingWindows(s, x, dy, dx);
    if constexpr (kThroughRelu) {
      const int64_t elements = s.input_image();
      DF_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < elements; ++i) dx[i] = internal::ThroughRelu(dx[i], x[i]);
    }
  }

 private:
  template <class T>
  static void OverlappingWindows(const PoolShape& s, const T* x, const T* dy, T* dx) {
    if constexpr (pooling::kHasVectors<T>) {
      if (s.channels > 1) return pooling::ToFirstLargestOfImage(s, x, dy, dx);
    }
    pooling::RoundedSums<pooling::SumType<T>>(dx, s.input_image(), [&](auto* sums) {
      pooling::ForLargest(s, x, [&](const pooling::Window&, int64_t from, const T*, const int32_t* index) {
        for (int64_t c = 0; c < s.channels; ++c) sums[index[c] * s.channels + c] += dy[from + c];
      });
    });
  }

  // Every element is written once.
  template <class T>
  static void DisjointWindows(const PoolShape& s, const T* x, const T* dy, T* dx) {
    if (!s.windows_tile_image()) std::fill_n(dx, s.input_image(), T(0.0F));
    if constexpr (pooling::kHasVectors<T>) {
      pooling::ToFirstLargestOfDisjoint(s, x, dy, dx, [](Vec<T> grad, Vec<T> largest) {
        const Vec<T> alone = grad + Vec<T>{};  // -0 as 0
        return kThroughRelu ? alone * (largest > Vec<T>{} ? Broadcast<T>(1) : Vec<T>{}) : alone;
      });
      return;
    }
    std::vector<T> sums(static_cast<size_t>(s.channels));
    pooling::ForLargest(s, x, [&](const pooling::Window& window, int64_t from, const T* largest, const int32_t* index) {
      T* const sum = sums.data();
      DF_INDEPENDENT_ITERATIONS
      for (int64_t c = 0; c < s.channels; ++c) {
        const T alone = static_cast<T>(dy[from + c] + T(0.0F));  // -0 as 0
        sum[c] = kThroughRelu ? internal::ThroughRelu(alone, largest[c]) : alone;
      }
      pooling::PutAtArgmax(s, window, index, sum, dx);
    });
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_POOL_MAX_POOL_GRAD_H_
