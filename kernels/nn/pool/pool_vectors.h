// Max pooling where windows share no pixel, and its gradient, a vector of channels at a time. The largest elements and
// their positions stay in registers, so that the time is that of reading and writing images.
#ifndef DFRUN_KERNELS_NN_POOL_POOL_VECTORS_H_
#define DFRUN_KERNELS_NN_POOL_POOL_VECTORS_H_

#include <span>

#include "kernels/gemm/simd.h"
#include "kernels/nn/pool/pool_loops.h"

namespace dfrun::pooling {

template <class T>
inline constexpr bool kHasVectors = std::is_same_v<T, float> || std::is_same_v<T, double>;

// The distance of prefetching, half a page: a CPU's own prefetchers follow one row of an image, not all those of a
// window.
template <class T>
inline constexpr int64_t kFetchedAhead = 2048 / sizeof(T);

// Calls at(integral_constant of whether all lanes of a vector are wanted, how many are, first channel) for all
// channels.
template <class T, class At>
void ForLanes(int64_t channels, At&& at) {
  int64_t c = 0;
  for (; c + kLanes<T> <= channels; c += kLanes<T>) at(std::true_type(), kLanes<T>, c);
  if (c < channels) at(std::false_type(), static_cast<int>(channels - c), c);
}

template <bool kWhole, class T>
Vec<T> LoadLanes(const T* from, int lanes) {
  return kWhole ? Load(from) : LoadFirst(from, lanes);
}
template <bool kWhole, class T>
void StoreLanes(T* to, Vec<T> v, int lanes) {
  kWhole ? Store<T>(to, v) : StoreFirst<T>(to, v, lanes);
}

// Some channels of the largest of the pixels that begin at `offsets`; as MaxImage().
template <bool kWhole, size_t kPixels, class T>
void LargestLanes(std::span<const int64_t, kPixels> offsets, int lanes, const T* x, T* y) {
  Vec<T> largest = Broadcast(kLowest<T>);
  for (const int64_t offset : offsets) {
    const Vec<T> in = LoadLanes<kWhole>(x + offset, lanes);
    __builtin_prefetch(x + offset + kFetchedAhead<T>);
    largest = in > largest ? in : largest;
  }
  StoreLanes<kWhole>(y, largest, lanes);
}

// Some channels of the largest of the pixels that begin at `offsets`, and its number among them: the first of equals.
template <class T>
struct FirstLargest {
  using Number = decltype(Vec<T>{} > Vec<T>{});

  template <bool kWhole, size_t kPixels>
  static FirstLargest Of(std::span<const int64_t, kPixels> offsets, int lanes, const T* x) {
    FirstLargest found{LoadLanes<kWhole>(x + offsets[0], lanes), Number{}};
    Number number{};
    for (const int64_t offset : offsets) {
      const Vec<T> in = LoadLanes<kWhole>(x + offset, lanes);
      const Number is_larger = in > found.value;
      found.value = is_larger ? in : found.value;
      found.index = is_larger ? number : found.index;
      number += 1;
    }
    return found;
  }

  Vec<T> value;
  Number index;
};

// Some channels of the gradient of a window whose pixels begin at `offsets`: the first largest of x gets
// gradient(dy, largest), the window's other pixels 0.
template <bool kWhole, size_t kPixels, class T, class Gradient>
void ToFirstLargestLanes(std::span<const int64_t, kPixels> offsets, int lanes, const T* x, const T* dy, T* dx,
                         Gradient&& gradient) {
  for (const int64_t offset : offsets) {
    __builtin_prefetch(x + offset + kFetchedAhead<T>);
    __builtin_prefetch(dx + offset + kFetchedAhead<T>, /*for writing*/ 1);
  }
  const auto largest = FirstLargest<T>::template Of<kWhole>(offsets, lanes, x);
  const Vec<T> value = gradient(LoadLanes<kWhole>(dy, lanes), largest.value);
  typename FirstLargest<T>::Number number{};
  for (const int64_t offset : offsets) {
    StoreLanes<kWhole, T>(dx + offset, largest.index == number ? value : Vec<T>{}, lanes);
    number += 1;
  }
}

// Adds the gradient to dx, which holds no -0, at the first largest element. It serves windows that share pixels.
template <bool kWhole, class T>
void AddToFirstLargestLanes(std::span<const int64_t> offsets, int lanes, const T* x, const T* dy, T* dx) {
  const auto largest = FirstLargest<T>::template Of<kWhole>(offsets, lanes, x);
  const Vec<T> value = LoadLanes<kWhole>(dy, lanes);
  typename FirstLargest<T>::Number number{};
  for (const int64_t offset : offsets) {
    const Vec<T> sum = LoadLanes<kWhole>(dx + offset, lanes);
    StoreLanes<kWhole, T>(dx + offset, sum + (largest.index == number ? value : Vec<T>{}), lanes);
    number += 1;
  }
}

// True where every pixel is in one window, and every window's pixels are in the image.
inline bool HasWholeTiles(const PoolShape& s) {
  const auto fits = [](const WindowDim& d) { return d.pad_before == 0 && d.output * d.stride == d.input; };
  return s.windows_tile_image() && fits(s.depth) && fits(s.height) && fits(s.width);
}

inline void FindPixels(const PoolShape& s, const Window& window, std::vector<int64_t>& offsets) {
  offsets.clear();
  ForPixels(s, window, [&](int64_t pixel) { offsets.push_back(pixel * s.channels); });
}

// Calls at(offsets of a tile's pixels from its first, offset of the first, offset of the output's pixel) for every tile
// of an image that has whole tiles.
template <class At>
void ForTiles(const PoolShape& s, At&& at) {
  std::vector<int64_t> offsets;
  FindPixels(s, {{s.depth, 0}, {s.height, 0}, {s.width, 0}}, offsets);
  const auto for_all = [&](auto pixels) {
    int64_t to = 0;
    for (int64_t od = 0; od < s.depth.output; ++od) {
      for (int64_t oh = 0; oh < s.height.output; ++oh) {
        int64_t first = (od * s.depth.size * s.height.input + oh * s.height.size) * s.width.input * s.channels;
        for (int64_t ow = 0; ow < s.width.output; ++ow, first += s.width.size * s.channels, to += s.channels) {
          at(pixels, first, to);
        }
      }
    }
  };
  constexpr size_t kUsual = 4;  // the compiler keeps so many in registers
  const std::span<const int64_t> pixels(offsets);
  pixels.size() == kUsual ? for_all(pixels.first<kUsual>()) : for_all(pixels);
}

// Max pooling of one image that has whole tiles.
template <class T>
void MaxOfTiles(const PoolShape& s, const T* x, T* y) {
  ForTiles(s, [&](auto offsets, int64_t first, int64_t to) {
    ForLanes<T>(s.channels, [&](auto whole, int lanes, int64_t c) {
      LargestLanes<whole.value>(offsets, lanes, x + first + c, y + to + c);
    });
  });
}

// MaxImage(), in vectors where it can be.
template <class T>
void LargestOfImage(const PoolShape& s, const T* x, T* y) {
  if constexpr (kHasVectors<T>) {
    if (HasWholeTiles(s)) return MaxOfTiles(s, x, y);
  }
  MaxImage(s, x, y);
}

// The gradient of one image whose windows share no pixel. Writes every pixel that is in a window.
template <class T, class Gradient>
void ToFirstLargestOfDisjoint(const PoolShape& s, const T* x, const T* dy, T* dx, Gradient&& gradient) {
  const auto at_window = [&](auto offsets, int64_t first, int64_t from) {
    ForLanes<T>(s.channels, [&](auto whole, int lanes, int64_t c) {
      ToFirstLargestLanes<whole.value>(offsets, lanes, x + first + c, dy + from + c, dx + first + c, gradient);
    });
  };
  if (HasWholeTiles(s)) return ForTiles(s, at_window);
  std::vector<int64_t> offsets;
  ForWindows(s, [&](const Window& window, int64_t from) {
    FindPixels(s, window, offsets);
    if (!offsets.empty()) at_window(std::span<const int64_t>(offsets), 0, from);
  });
}

// The gradient of one image whose windows may share pixels.
template <class T>
void ToFirstLargestOfImage(const PoolShape& s, const T* x, const T* dy, T* dx) {
  std::fill_n(dx, s.input_image(), T(0));
  std::vector<int64_t> offsets;
  ForWindows(s, [&](const Window& window, int64_t from) {
    FindPixels(s, window, offsets);
    if (offsets.empty()) return;
    ForLanes<T>(s.channels, [&](auto whole, int lanes, int64_t c) {
      AddToFirstLargestLanes<whole.value>(std::span<const int64_t>(offsets), lanes, x + c, dy + from + c, dx + c);
    });
  });
}

}  // namespace dfrun::pooling

#endif  // DFRUN_KERNELS_NN_POOL_POOL_VECTORS_H_
