// Max pooling that remembers where each window's largest element was, a byte instead of the image, and its gradient by
// that. Of images that windows tile: all pixels are in one window, and all of a window's pixels are in the image.
#ifndef DFRUN_KERNELS_NN_POOL_PLACES_H_
#define DFRUN_KERNELS_NN_POOL_PLACES_H_

#include <cstring>
#include <utility>

#include "kernels/nn/pool_vectors.h"

namespace dfrun::pooling {

// A place: the number of the first largest pixel in its window, row by row, as the gradient of max pooling finds it
// (NaN is the largest only where it comes first); kClosed is added where that pixel is not above 0, so that a Relu's
// gradient is times 0 there.
using Place = uint8_t;
inline constexpr Place kClosed = 128;
inline constexpr int64_t kMostPlaces = 128;

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
typedef Place Places
    __attribute__((vector_size(kLanes<float>)));  // NOLINT: `using` takes no such attribute on clang 14

inline void StorePlaces(Place* to, Number places, int lanes) {
  const Places bytes = __builtin_convertvector(places, Places);
  std::memcpy(to, &bytes, static_cast<size_t>(lanes));
}
inline Number LoadPlaces(const Place* from, int lanes) {
  Places bytes{};
  std::memcpy(&bytes, from, static_cast<size_t>(lanes));
  return __builtin_convertvector(bytes, Number);
}

// Some channels of a window whose pixels begin at `offsets` and are value_at(offset): the largest as MaxImage() has it,
// and its place.
template <size_t kPixels, class ValueAt>
std::pair<Vec<float>, Number> LargestAndPlace(std::span<const int64_t, kPixels> offsets, ValueAt&& value_at) {
  Vec<float> first_largest = value_at(offsets[0]);
  const Vec<float> lowest = Broadcast(kLowest<float>);
  Vec<float> largest = first_largest > lowest ? first_largest : lowest;
  Number place{};
  Number number{};
  for (const int64_t offset : offsets.template subspan<1>()) {
    const Vec<float> in = value_at(offset);
    number += 1;
    largest = in > largest ? in : largest;
    const Number is_larger = in > first_largest;
    first_largest = is_larger ? in : first_largest;
    place = is_larger ? number : place;
  }
  return {largest, first_largest > Vec<float>{} ? place : place + kClosed};
}

template <bool kWhole, size_t kPixels>
void PutAtPlaces(std::span<const int64_t, kPixels> offsets, int lanes, const Place* places, const float* dy,
                 float* dx) {
  for (const int64_t offset : offsets) __builtin_prefetch(dx + offset + kFetchedAhead<float>, /*for writing*/ 1);
  const Number place = LoadPlaces(places, lanes);
  const Vec<float> alone = LoadLanes<kWhole>(dy, lanes) + Vec<float>{};  // -0 as 0
  const Vec<float> value = alone * (place < kClosed ? Broadcast(1.0F) : Vec<float>{});
  const Number at = place & (kClosed - 1);
  Number number{};
  for (const int64_t offset : offsets) {
    StoreLanes<kWhole, float>(dx + offset, at == number ? value : Vec<float>{}, lanes);
    number += 1;
  }
}

}  // namespace internal

// Of the image activation(x + bias), a vector at a time.
template <class Activation>
void LargestAndPlaces(const PoolShape& s, const float* x, const float* bias, float* y, Place* places,
                      Activation&& activation) {
  ForTiles(s, [&](auto offsets, int64_t first, int64_t to) {
    ForLanes<float>(s.channels, [&](auto whole, int lanes, int64_t c) {
      const Vec<float> b = LoadLanes<whole.value>(bias + c, lanes);
      const auto [largest, place] = internal::LargestAndPlace(offsets, [&](int64_t offset) {
        return activation(LoadLanes<whole.value>(x + first + offset + c, lanes) + b);
      });
      StoreLanes<whole.value, float>(y + to + c, largest, lanes);
      internal::StorePlaces(places + to + c, place, lanes);
    });
  });
}

// Of one image: the gradient of max pooling and of the Relu before it. Writes all of dx.
inline void GradientAtPlaces(const PoolShape& s, const Place* places, const float* dy, float* dx) {
  ForTiles(s, [&](auto offsets, int64_t first, int64_t from) {
    ForLanes<float>(s.channels, [&](auto whole, int lanes, int64_t c) {
      internal::PutAtPlaces<whole.value>(offsets, lanes, places + from + c, dy + from + c, dx + first + c);
    });
  });
}

}  // namespace dfrun::pooling

#endif  // DFRUN_KERNELS_NN_POOL_PLACES_H_
