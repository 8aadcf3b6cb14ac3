// The loops of pooling over one image. The innermost loop runs over channels, contiguous and vectorised.
#ifndef DFRUN_KERNELS_NN_POOL_POOL_LOOPS_H_
#define DFRUN_KERNELS_NN_POOL_POOL_LOOPS_H_

#include <limits>
#include <vector>

#include "kernels/math/functions/element.h"
#include "kernels/nn/pool/pool_shape.h"

namespace dfrun::pooling {

// The part of a window inside the image.
struct Window {
  WindowRange planes;
  WindowRange rows;
  WindowRange columns;
  int64_t pixels() const { return planes.size() * rows.size() * columns.size(); }
};

// Calls at_window(window, output offset) for every output pixel.
template <class AtWindow>
void ForWindows(const PoolShape& s, AtWindow&& at_window) {
  int64_t to = 0;
  for (int64_t od = 0; od < s.depth.output; ++od) {
    for (int64_t oh = 0; oh < s.height.output; ++oh) {
      for (int64_t ow = 0; ow < s.width.output; ++ow, to += s.channels) {
        at_window(Window{{s.depth, od}, {s.height, oh}, {s.width, ow}}, to);
      }
    }
  }
}

// Calls at_pixel(number of the pixel in the image) for the pixels of a window.
template <class AtPixel>
void ForPixels(const PoolShape& s, const Window& window, AtPixel&& at_pixel) {
  for (int64_t d = window.planes.begin; d < window.planes.end; ++d) {
    for (int64_t h = window.rows.begin; h < window.rows.end; ++h) {
      const int64_t row = (d * s.height.input + h) * s.width.input;
      for (int64_t w = window.columns.begin; w < window.columns.end; ++w) at_pixel(row + w);
    }
  }
}

// The finite value below all others.
template <class T>
constexpr T kLowest = std::numeric_limits<T>::lowest();
template <>
inline constexpr bfloat16 kLowest<bfloat16> = std::bit_cast<bfloat16>(uint16_t{0xff7f});
template <>
inline constexpr float16 kLowest<float16> = std::bit_cast<float16>(uint16_t{0xfbff});

// Max pooling of an image. The largest starts as the lowest finite value, and NaN is never larger, as in TensorFlow.
template <class T>
void MaxImage(const PoolShape& s, const T* x, T* y) {
  ForWindows(s, [&](const Window& window, int64_t to) {
    T* largest = y + to;
    std::fill_n(largest, s.channels, kLowest<T>);
    ForPixels(s, window, [&](int64_t pixel) {
      const T* in = x + pixel * s.channels;
      DF_INDEPENDENT_ITERATIONS
      for (int64_t c = 0; c < s.channels; ++c) largest[c] = in[c] > largest[c] ? in[c] : largest[c];
    });
  });
}

// Calls at_window(window, output offset, largest, index) for every window that holds a pixel: of each channel the
// largest element and the number of its pixel, the first of equals. NaN is the largest only where it comes first.
template <class T, class AtWindow>
void ForLargest(const PoolShape& s, const T* x, AtWindow&& at_window) {
  std::vector<T> largest(static_cast<size_t>(s.channels));
  std::vector<int32_t> index(static_cast<size_t>(s.channels));
  ForWindows(s, [&](const Window& window, int64_t to) {
    bool first = true;
    ForPixels(s, window, [&](int64_t pixel) {
      const T* in = x + pixel * s.channels;
      const auto number = static_cast<int32_t>(pixel);
      if (first) {
        std::copy_n(in, s.channels, largest.data());
        std::fill(index.begin(), index.end(), number);
      } else {
        T* const values = largest.data();
        int32_t* const argmax = index.data();
        DF_INDEPENDENT_ITERATIONS
        for (int64_t c = 0; c < s.channels; ++c) {
          const bool larger = in[c] > values[c];
          values[c] = larger ? in[c] : values[c];
          argmax[c] = larger ? number : argmax[c];
        }
      }
      first = false;
    });
    if (!first) at_window(window, to, largest.data(), index.data());
  });
}

// Puts a window's gradients at the pixels of its largest elements, and zeros elsewhere in the window.
template <class T>
void PutAtArgmax(const PoolShape& s, const Window& window, const int32_t* index, const T* dy, T* dx) {
  ForPixels(s, window, [index, dy, dx, channels = s.channels](int64_t pixel) {
    T* to = dx + pixel * channels;
    const auto number = static_cast<int32_t>(pixel);
    DF_INDEPENDENT_ITERATIONS
    for (int64_t c = 0; c < channels; ++c) {
      const T value = dy[c];  // loaded whether it is wanted or not: a vector has no branch
      to[c] = index[c] == number ? value : T(0.0F);
    }
  });
}

// Calls pick(input offset, output offset, hit) for every element of each window and channel; hit: it equals y there
// and, where kFirst, no element before it did. Without a branch, since which element it is cannot be predicted.
template <class T, bool kFirst, class Pick>
void ForEqual(const PoolShape& s, const T* x, const T* y, Pick&& pick) {
  std::vector<T> open(static_cast<size_t>(s.channels));  // 0: found. Of T, so that its lanes are those of x
  ForWindows(s, [&](const Window& window, int64_t to) {
    std::fill(open.begin(), open.end(), T(1.0F));
    ForPixels(s, window, [&](int64_t pixel) {
      const int64_t from = pixel * s.channels;
      T* const open_channels = open.data();
      DF_INDEPENDENT_ITERATIONS
      for (int64_t c = 0; c < s.channels; ++c) {
        const bool hit = x[from + c] == y[to + c] && open_channels[c] != T(0.0F);
        if constexpr (kFirst) open_channels[c] = hit ? T(0.0F) : open_channels[c];
        pick(from + c, to + c, hit);
      }
    });
  });
}

// The type that means are summed in: float sums would lose what cancels.
template <class T>
using MeanType = std::conditional_t<std::is_same_v<T, float>, double, ComputeType<T>>;

template <class T>
void AverageImage(const PoolShape& s, const T* x, T* y) {
  using C = MeanType<T>;
  std::vector<C> sums(static_cast<size_t>(s.channels));
  ForWindows(s, [&](const Window& window, int64_t to) {
    std::fill(sums.begin(), sums.end(), C(0));
    ForPixels(s, window, [&](int64_t pixel) {
      const T* in = x + pixel * s.channels;
      for (int64_t c = 0; c < s.channels; ++c) sums[static_cast<size_t>(c)] += static_cast<C>(in[c]);
    });
    const C count = static_cast<C>(window.pixels());
    for (int64_t c = 0; c < s.channels; ++c) y[to + c] = static_cast<T>(sums[static_cast<size_t>(c)] / count);
  });
}

// Adds each window's gradient to its pixels; dx starts as zeros.
template <class T>
void AverageImageGradient(const PoolShape& s, const T* dy, MeanType<T>* dx) {
  using C = MeanType<T>;
  ForWindows(s, [&](const Window& window, int64_t from) {
    const C share = C(1) / static_cast<C>(window.pixels());
    ForPixels(s, window, [&](int64_t pixel) {
      C* to = dx + pixel * s.channels;
      for (int64_t c = 0; c < s.channels; ++c) to[c] += static_cast<C>(dy[from + c]) * share;
    });
  });
}

// Sums of elements that may overlap; those of integers wrap around.
template <class T>
struct SumOf {
  using Type = ComputeType<T>;
};
template <class T>
requires std::is_integral_v<T>
struct SumOf<T> {
  using Type = WrappingType<T>;
};
template <class T>
using SumType = typename SumOf<T>::Type;

// Fills out[n] by add(sums): sums start as zeros, in type C, and are rounded once.
template <class C, class T, class Add>
void RoundedSums(T* out, int64_t n, Add&& add) {
  if constexpr (std::is_same_v<C, T>) {
    std::fill_n(out, n, T(0));
    add(out);
  } else {
    std::vector<C> wide(static_cast<size_t>(n));
    add(wide.data());
    std::transform(wide.begin(), wide.end(), out, [](C value) { return static_cast<T>(value); });
  }
}

}  // namespace dfrun::pooling

#endif  // DFRUN_KERNELS_NN_POOL_POOL_LOOPS_H_
