// Average pooling of float images and its gradient, some channels at a time: sums, in double, stay in registers.
#ifndef DFRUN_KERNELS_NN_POOL_POOL_MEANS_H_
#define DFRUN_KERNELS_NN_POOL_POOL_MEANS_H_

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/gemm/simd.h"
#include "kernels/nn/pool/pool_loops.h"
#include "kernels/nn/pool/pool_vectors.h"
#include "src/base/integers.h"

namespace dfrun::pooling {

// Channels of a strip of kVectors vectors of doubles.
template <int kVectors>
inline constexpr int kStripChannels = kVectors* kLanes<double>;

inline Vec<double> LoadWide(const float* from, int lanes) {
  HalfVector v{};
  std::memcpy(&v, from, static_cast<size_t>(lanes) * sizeof(float));
  return Widen(v);
}
inline void StoreNarrow(float* to, Vec<double> v, int lanes) {
  const HalfVector narrow = Narrow(v);
  std::memcpy(to, &narrow, static_cast<size_t>(lanes) * sizeof(float));
}

// A pixel and its weight.
struct WeighedPixel {
  int64_t offset;  // offset of its first channel
  double weight;
};

// y = factor * the sum over pixels of weight * x, from 0 on and in order, of all channels; without weights where they
// are all 1.
template <bool kWeighed>
void SumPixels(const std::vector<WeighedPixel>& pixels, double factor, int64_t channels, const float* x, float* y) {
  const auto strip = [&](auto vectors, int64_t c, int lanes) __attribute__((always_inline)) {
    constexpr int kVectors = decltype(vectors)::value;
    Vec<double> sums[kVectors] = {};
    for (const WeighedPixel& pixel : pixels) {
      const float* const from = x + pixel.offset + c;
      const Vec<double> weight = Broadcast(pixel.weight);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const Vec<double> value = LoadWide(from + v * kLanes<double>, lanes);
        sums[v] += kWeighed ? value * weight : value;
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) StoreNarrow(y + c + v * kLanes<double>, sums[v] * factor, lanes);
  };
  constexpr int kWide = 4;  // sums that do not wait for each other
  int64_t c = 0;
  for (; c + kStripChannels<kWide> <= channels; c += kStripChannels<kWide>) {
    strip(std::integral_constant<int, kWide>(), c, kLanes<double>);
  }
  for (; c + kLanes<double> <= channels; c += kLanes<double>) {
    strip(std::integral_constant<int, 1>(), c, kLanes<double>);
  }
  if (c < channels) strip(std::integral_constant<int, 1>(), c, static_cast<int>(channels - c));
}

inline void MeansOfImage(const PoolShape& s, const float* x, float* y) {
  std::vector<WeighedPixel> pixels;
  ForWindows(s, [&](const Window& window, int64_t to) {
    pixels.clear();
    ForPixels(s, window, [&](int64_t pixel) { pixels.push_back({pixel * s.channels, 1}); });
    // The product, in double, rounds to the float that the quotient does, unless the quotient is nearly between two
    // floats.
    SumPixels<false>(pixels, 1 / static_cast<double>(window.pixels()), s.channels, x, y + to);
  });
}

// The windows that a pixel is in, along one dimension.
struct WindowsOver {
  WindowsOver(const WindowDim& d, int64_t at)
      : begin(CeilDiv<int64_t>(std::max<int64_t>(0, at + d.pad_before - d.size + 1), d.stride)),
        end(std::min(d.output, (at + d.pad_before) / d.stride + 1)) {}
  int64_t begin;
  int64_t end;
};

// Pixel by pixel of the input: each of its windows gives its share, in the windows' order.
inline void MeansOfImageGradient(const PoolShape& s, const float* dy, float* dx) {
  std::vector<WeighedPixel> windows;
  for (int64_t d = 0; d < s.depth.input; ++d) {
    const WindowsOver planes(s.depth, d);
    for (int64_t h = 0; h < s.height.input; ++h) {
      const WindowsOver rows(s.height, h);
      for (int64_t w = 0; w < s.width.input; ++w, dx += s.channels) {
        const WindowsOver columns(s.width, w);
        windows.clear();
        for (int64_t od = planes.begin; od < planes.end; ++od) {
          for (int64_t oh = rows.begin; oh < rows.end; ++oh) {
            for (int64_t ow = columns.begin; ow < columns.end; ++ow) {
              const Window window{{s.depth, od}, {s.height, oh}, {s.width, ow}};
              const int64_t number = (od * s.height.output + oh) * s.width.output + ow;
              windows.push_back({number * s.channels, 1 / static_cast<double>(window.pixels())});
            }
          }
        }
        SumPixels<true>(windows, 1, s.channels, dy, dx);
      }
    }
  }
}

// AverageImage(), in vectors where it can be.
template <class T>
void MeanOfImage(const PoolShape& s, const T* x, T* y) {
  if constexpr (std::is_same_v<T, float>) {
    // Larger windows are better read pixel by pixel than strip by strip.
    constexpr int64_t kMaxPixels = 25;
    const bool is_small = s.depth.size <= kMaxPixels && s.height.size <= kMaxPixels && s.width.size <= kMaxPixels &&
                          s.depth.size * s.height.size * s.width.size <= kMaxPixels;
    if (is_small && s.channels >= kLanes<double>) return MeansOfImage(s, x, y);
  }
  AverageImage(s, x, y);
}

// dx of one image, in vectors where it can be.
template <class T>
void MeanOfImageGradient(const PoolShape& s, const T* dy, T* dx) {
  if constexpr (std::is_same_v<T, float>) {
    if (s.channels >= kLanes<double>) return MeansOfImageGradient(s, dy, dx);
  }
  RoundedSums<MeanType<T>>(dx, s.input_image(), [&](auto* sums) { AverageImageGradient(s, dy, sums); });
}

}  // namespace dfrun::pooling

#endif  // DFRUN_KERNELS_NN_POOL_POOL_MEANS_H_
