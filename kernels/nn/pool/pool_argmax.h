// Max pooling that keeps the argmax of each window, a byte instead of the image, and its gradient by that argmax.
// Windows tile the images: every pixel is in one window, and all of a window's pixels are in the image.
#ifndef DFRUN_KERNELS_NN_POOL_POOL_ARGMAX_H_
#define DFRUN_KERNELS_NN_POOL_POOL_ARGMAX_H_

#include <cstring>
#include <utility>

#include "kernels/nn/pool/pool_vectors.h"

namespace dfrun::pooling {

// The index of the first largest pixel in its window, row by row, as the gradient of max pooling finds it
// (NaN is the largest only where it comes first); kClosed is added where that pixel is not above 0, so that a Relu's
// gradient is times 0 there.
using Argmax = uint8_t;
inline constexpr Argmax kClosed = 128;
inline constexpr int64_t kMaxTilePixels = 128;

// Windows of `height` x `width` pixels, side by side, that give `pooled`, with its channels last.
inline PoolShape TilesOf(const Shape& pooled, int64_t height, int64_t width) {
  const auto dim = [](int64_t output, int64_t size) {
    WindowDim d;
    d.input = output * size;
    d.output = output;
    d.size = d.stride = size;
    return d;
  };
  PoolShape s;
  s.images = pooled[0];
  s.channels = pooled[3];
  s.depth = dim(1, 1);
  s.height = dim(pooled[1], height);
  s.width = dim(pooled[2], width);
  s.output = pooled;
  return s;
}

namespace internal {

using Number = decltype(Vec<float>{} > Vec<float>{});
typedef Argmax ArgmaxVector
    __attribute__((vector_size(kLanes<float>)));  // NOLINT: `using` takes no such attribute on clang 14

inline void StoreArgmax(Argmax* to, Number argmax, int lanes) {
  const ArgmaxVector bytes = __builtin_convertvector(argmax, ArgmaxVector);
  std::memcpy(to, &bytes, static_cast<size_t>(lanes));
}
inline Number LoadArgmax(const Argmax* from, int lanes) {
  ArgmaxVector bytes{};
  std::memcpy(&bytes, from, static_cast<size_t>(lanes));
  return __builtin_convertvector(bytes, Number);
}

// Some channels of a window whose pixels begin at `offsets` and are value_at(offset): the largest as MaxImage() has it,
// and its index.
template <size_t kPixels, class ValueAt>
std::pair<Vec<float>, Number> LargestAndIndex(std::span<const int64_t, kPixels> offsets, ValueAt&& value_at) {
  Vec<float> first_largest = value_at(offsets[0]);
  const Vec<float> lowest = Broadcast(kLowest<float>);
  Vec<float> largest = first_largest > lowest ? first_largest : lowest;
  Number index{};
  Number number{};
  for (const int64_t offset : offsets.template subspan<1>()) {
    const Vec<float> in = value_at(offset);
    number += 1;
    largest = in > largest ? in : largest;
    const Number is_larger = in > first_largest;
    first_largest = is_larger ? in : first_largest;
    index = is_larger ? number : index;
  }
  return {largest, first_largest > Vec<float>{} ? index : index + kClosed};
}

template <bool kWhole, size_t kPixels>
void PutAtArgmax(std::span<const int64_t, kPixels> offsets, int lanes, const Argmax* argmax, const float* dy,
                 float* dx) {
  for (const int64_t offset : offsets) __builtin_prefetch(dx + offset + kFetchedAhead<float>, /*for writing*/ 1);
  const Number index = LoadArgmax(argmax, lanes);
  const Vec<float> alone = LoadLanes<kWhole>(dy, lanes) + Vec<float>{};  // -0 as 0
  const Vec<float> value = alone * (index < kClosed ? Broadcast(1.0F) : Vec<float>{});
  const Number at = index & (kClosed - 1);
  Number number{};
  for (const int64_t offset : offsets) {
    StoreLanes<kWhole, float>(dx + offset, at == number ? value : Vec<float>{}, lanes);
    number += 1;
  }
}

}  // namespace internal

// Pools the image activation(x + bias), a vector at a time, and writes the argmax of each window.
template <class Activation>
void LargestAndArgmax(const PoolShape& s, const float* x, const float* bias, float* y, Argmax* argmax,
                      Activation&& activation) {
  ForTiles(s, [&](auto offsets, int64_t first, int64_t to) {
    ForLanes<float>(s.channels, [&](auto whole, int lanes, int64_t c) {
      const Vec<float> b = LoadLanes<whole.value>(bias + c, lanes);
      const auto [largest, index] = internal::LargestAndIndex(offsets, [&](int64_t offset) {
        return activation(LoadLanes<whole.value>(x + first + offset + c, lanes) + b);
      });
      StoreLanes<whole.value, float>(y + to + c, largest, lanes);
      internal::StoreArgmax(argmax + to + c, index, lanes);
    });
  });
}

// The gradient of one image through max pooling and the Relu before it. Writes all of dx.
inline void GradientAtArgmax(const PoolShape& s, const Argmax* argmax, const float* dy, float* dx) {
  ForTiles(s, [&](auto offsets, int64_t first, int64_t from) {
    ForLanes<float>(s.channels, [&](auto whole, int lanes, int64_t c) {
      internal::PutAtArgmax<whole.value>(offsets, lanes, argmax + from + c, dy + from + c, dx + first + c);
    });
  });
}

}  // namespace dfrun::pooling

#endif  // DFRUN_KERNELS_NN_POOL_POOL_ARGMAX_H_
