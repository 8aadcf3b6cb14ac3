// The gradient of max pooling whose windows share no pixel, a vector of channels at a time: what a window's pixels are
// compared by and where the largest is stay in registers, so that the time is that of reading x and writing dx.
#ifndef DFRUN_KERNELS_NN_POOL_VECTORS_H_
#define DFRUN_KERNELS_NN_POOL_VECTORS_H_

#include "kernels/matrix/simd.h"
#include "kernels/nn/pool_loops.h"

namespace dfrun::pooling {

template <class T>
inline constexpr bool kHasVectors = std::is_same_v<T, float> || std::is_same_v<T, double>;

// Of one window, `lanes` channels from the pointers on; kWhole: a vector of them. The first largest of x gets
// gradient(dy, largest), the window's other pixels 0.
template <bool kWhole, class T, class Gradient>
void ToFirstLargestLanes(const PoolShape& s, const Window& window, int lanes, const T* x, const T* dy, T* dx,
                         Gradient&& gradient) {
  using Number = decltype(Vec<T>{} > Vec<T>{});
  const auto load = [lanes](const T* from) { return kWhole ? Load(from) : LoadFirst(from, lanes); };
  Vec<T> largest{};
  Number place{};
  Number number{};
  bool is_first = true;
  ForPixels(s, window, [&](int64_t pixel) {
    const Vec<T> in = load(x + pixel * s.channels);
    if (is_first) largest = in;
    const Number is_larger = in > largest;
    largest = is_larger ? in : largest;
    place = is_larger ? number : place;
    number += 1;
    is_first = false;
  });
  const Vec<T> value = gradient(load(dy), largest);
  number = Number{};
  ForPixels(s, window, [&](int64_t pixel) {
    T* to = dx + pixel * s.channels;
    const Vec<T> here = place == number ? value : Vec<T>{};
    if constexpr (kWhole) {
      Store<T>(to, here);
    } else {
      StoreFirst<T>(to, here, lanes);
    }
    number += 1;
  });
}

// Of one image. Writes every pixel that is in a window.
template <class T, class Gradient>
void ToFirstLargestOfDisjoint(const PoolShape& s, const T* x, const T* dy, T* dx, Gradient&& gradient) {
  ForWindows(s, [&](const Window& window, int64_t from) {
    int64_t c = 0;
    for (; c + kLanes<T> <= s.channels; c += kLanes<T>) {
      ToFirstLargestLanes<true>(s, window, kLanes<T>, x + c, dy + from + c, dx + c, gradient);
    }
    if (c < s.channels) {
      ToFirstLargestLanes<false>(s, window, static_cast<int>(s.channels - c), x + c, dy + from + c, dx + c, gradient);
    }
  });
}

}  // namespace dfrun::pooling

#endif  // DFRUN_KERNELS_NN_POOL_VECTORS_H_
