// The loops of pooling over one image. The innermost loop runs over channels, contiguous and vectorised.
#ifndef DFRUN_KERNELS_NN_POOL_LOOPS_H_
#define DFRUN_KERNELS_NN_POOL_LOOPS_H_

#include <limits>
#include <vector>

#include "kernels/math/element.h"
#include "kernels/nn/pool_shape.h"

namespace dfrun::pooling {

// Calls at_window(rows, columns, output offset) for every output pixel.
template <class AtWindow>
void ForWindows(const PoolShape& s, AtWindow&& at_window) {
  for (int64_t oh = 0; oh < s.height.output; ++oh) {
    for (int64_t ow = 0; ow < s.width.output; ++ow) {
      at_window(WindowRange(s.height, oh), WindowRange(s.width, ow), (oh * s.width.output + ow) * s.channels);
    }
  }
}

// Calls at_pixel(input offset) for the pixels of a window inside the image.
template <class AtPixel>
void ForPixels(const PoolShape& s, const WindowRange& rows, const WindowRange& columns, AtPixel&& at_pixel) {
  for (int64_t h = rows.begin; h < rows.end; ++h) {
    for (int64_t w = columns.begin; w < columns.end; ++w) at_pixel((h * s.width.input + w) * s.channels);
  }
}

// NaN wins, so that it is not lost on the way.
template <class T>
void MaxImage(const PoolShape& s, const T* x, T* y) {
  ForWindows(s, [&](const WindowRange& rows, const WindowRange& columns, int64_t to) {
    bool first = true;
    T* largest = y + to;
    ForPixels(s, rows, columns, [&](int64_t from) {
      const T* pixel = x + from;
      if (first) {
        std::copy_n(pixel, s.channels, largest);
      } else {
        DF_INDEPENDENT_ITERATIONS
        for (int64_t c = 0; c < s.channels; ++c) {
          largest[c] = pixel[c] > largest[c] || pixel[c] != pixel[c] ? pixel[c] : largest[c];
        }
      }
      first = false;
    });
    // A window in the padding alone: TensorFlow's result.
    if (first) std::fill_n(largest, s.channels, T(std::numeric_limits<ComputeType<T>>::lowest()));
  });
}

// Calls pick(input offset, output offset, hit) for every element of each window and channel; hit: it is the first that
// is the window's largest, y. Without a branch, since which element it is cannot be predicted.
template <class T, class Pick>
void PickLargest(const PoolShape& s, const T* x, const T* y, Pick&& pick) {
  std::vector<T> open(static_cast<size_t>(s.channels));  // 0: found. Of T, so that its lanes are those of x
  ForWindows(s, [&](const WindowRange& rows, const WindowRange& columns, int64_t to) {
    std::fill(open.begin(), open.end(), T(1.0F));
    ForPixels(s, rows, columns, [&](int64_t from) {
      T* const open_channels = open.data();
      DF_INDEPENDENT_ITERATIONS
      for (int64_t c = 0; c < s.channels; ++c) {
        const T in = x[from + c];
        const T largest = y[to + c];
        const bool is_largest = in == largest || (in != in && largest != largest);
        const bool hit = is_largest && open_channels[c] != T(0.0F);
        open_channels[c] = hit ? T(0.0F) : open_channels[c];
        pick(from + c, to + c, hit);
      }
    });
  });
}

// C: ComputeType<T>. `sums` holds a pixel's channels.
template <class T>
void AverageImage(const PoolShape& s, const T* x, T* y) {
  using C = ComputeType<T>;
  std::vector<C> sums(static_cast<size_t>(s.channels));
  ForWindows(s, [&](const WindowRange& rows, const WindowRange& columns, int64_t to) {
    std::fill(sums.begin(), sums.end(), C(0));
    ForPixels(s, rows, columns, [&](int64_t from) {
      for (int64_t c = 0; c < s.channels; ++c) sums[static_cast<size_t>(c)] += static_cast<C>(x[from + c]);
    });
    const C count = static_cast<C>(rows.size() * columns.size());
    for (int64_t c = 0; c < s.channels; ++c) y[to + c] = static_cast<T>(sums[static_cast<size_t>(c)] / count);
  });
}

// Adds each window's gradient to its pixels; dx is in the type that sums are computed in, and starts as zeros.
template <class T>
void AverageImageGradient(const PoolShape& s, const T* dy, ComputeType<T>* dx) {
  using C = ComputeType<T>;
  ForWindows(s, [&](const WindowRange& rows, const WindowRange& columns, int64_t from) {
    const C share = C(1) / static_cast<C>(rows.size() * columns.size());
    ForPixels(s, rows, columns, [&](int64_t to) {
      for (int64_t c = 0; c < s.channels; ++c) dx[to + c] += static_cast<C>(dy[from + c]) * share;
    });
  });
}

}  // namespace dfrun::pooling

#endif  // DFRUN_KERNELS_NN_POOL_LOOPS_H_
