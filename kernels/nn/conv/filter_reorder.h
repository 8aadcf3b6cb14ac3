// Reorders a filter from its order in memory to those that oneDNN's kernels want: the library's own reordering takes
// twice as long.
#ifndef DFRUN_KERNELS_NN_CONV_FILTER_REORDER_H_
#define DFRUN_KERNELS_NN_CONV_FILTER_REORDER_H_

#include <algorithm>

#include "kernels/gemm/pack.h"
#include "src/base/integers.h"
#include "src/base/threads.h"

namespace dfrun {

// Elements of a filter worth handing to another thread.
inline constexpr int64_t kFilterBlock = 65536;

// The filter of an op: [tap][in][out].
struct FilterView {
  int64_t rows() const { return taps * in_channels; }
  const float* data;
  int64_t taps;
  int64_t in_channels;
  int64_t out_channels;
};

// The widths of panels are multiples of this.
inline constexpr int64_t kPanelStepWidth = 16;

// panels[out / width][tap][in][width] = filter[tap][in][out], for forward convolutions. Zeros fill the last panel.
inline void PackFilterPanels(const FilterView& filter, int64_t width, float* panels, ThreadPool& pool) {
  constexpr int64_t kStep = kPanelStepWidth;
  const int64_t rows = filter.rows();
  pool.ParallelFor(rows, kFilterBlock / filter.out_channels + 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float* from = filter.data + row * filter.out_channels;
      float* panel = panels + row * width;
      for (int64_t left = filter.out_channels; left > 0; left -= width, from += width, panel += rows * width) {
        for (int64_t i = 0; i < width; i += kStep) {
          const int64_t count = std::clamp<int64_t>(left - i, 0, kStep);
          if (count == kStep) {
            std::copy_n(from + i, kStep, panel + i);
          } else {
            std::fill(std::copy_n(from + i, count, panel + i), panel + i + kStep, 0.0F);
          }
        }
      }
    }
  });
}

// panels[in / width][taps - 1 - tap][out][width] = filter[tap][in][out], for the forward convolution that is the
// gradient of the filter's own by its input. Zeros fill the last panel.
inline void PackFlippedPanels(const FilterView& filter, int64_t width, float* panels, ThreadPool& pool) {
  constexpr int64_t kRows = kLanes<float>;
  const int64_t stride = filter.out_channels;  // between rows
  const int64_t blocks = RoundUp(filter.in_channels, width) / kRows;
  pool.ParallelFor(filter.taps * blocks, kFilterBlock / (kRows * stride) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t tap = i / blocks;
      const int64_t in = i % blocks * kRows;
      const auto rows = static_cast<int>(std::clamp<int64_t>(filter.in_channels - in, 0, kRows));
      const float* const from = filter.data + (tap * filter.in_channels + in) * stride;
      float* const to = panels + (in / width * filter.taps + filter.taps - 1 - tap) * stride * width + in % width;
      for (int64_t out = 0; out < stride; out += kRows) {
        for (int64_t r = 0; r < rows; ++r) __builtin_prefetch(from + (kRows + r) * stride + out, 0, 2);
        const auto depth = static_cast<int>(std::min(kRows, stride - out));
        internal::PackSquare(from + out, stride, rows, depth, to + out * width, width);
      }
    }
  });
}

// mirrored[taps - 1 - tap][out][in] = filter[tap][in][out]: one panel, where that is whole vectors.
inline void FlipFilter(const FilterView& filter, float* flipped, ThreadPool& pool) {
  if (filter.in_channels % kLanes<float> == 0) return PackFlippedPanels(filter, filter.in_channels, flipped, pool);
  const int64_t size = filter.in_channels * filter.out_channels;
  pool.ParallelFor(filter.taps, 1, [&](int64_t begin, int64_t end) {
    for (int64_t tap = begin; tap < end; ++tap) {
      const float* const from = filter.data + tap * size;
      float* to = flipped + (filter.taps - 1 - tap) * size;
      for (int64_t out = 0; out < filter.out_channels; ++out) {
        for (int64_t in = 0; in < filter.in_channels; ++in) *to++ = from[in * filter.out_channels + out];
      }
    }
  });
}

// Input and output channels of a tile, as the library names it (ABcd16a16b).
inline constexpr int64_t kFilterTile = 16;
// True where a tile is a square of vector registers.
inline constexpr bool kHasFilterTiles = kLanes<float> == kFilterTile;

// tiles[out / 16][in / 16][tap][16 out][16 in] = filter[tap][in][out], transposed in registers: of the gradients of
// convolutions' inputs. Channels are multiples of the tile's.
inline void PackFilterTiles(const FilterView& filter, float* tiles, ThreadPool& pool) {
  constexpr int64_t kRows = kFilterTile;
  constexpr int64_t kElements = kRows * kRows;
  const int64_t ins = filter.in_channels / kRows;
  const int64_t stride = filter.out_channels;  // between rows
  pool.ParallelFor(filter.taps * ins, kFilterBlock / (kRows * stride) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {  // tap * ins + in / 16: the filter's order
      for (int64_t out = 0; out < filter.out_channels / kRows; ++out) {
        // Prefetches the columns of the next rows.
        const float* ahead = filter.data + (i + 1) * kRows * stride + out * kRows;
        for (int64_t r = 0; r < kRows; ++r) __builtin_prefetch(ahead + r * stride, 0, 2);
        float* to = tiles + ((out * ins + i % ins) * filter.taps + i / ins) * kElements;
        internal::PackSquare(filter.data + i * kRows * stride + out * kRows, stride, kRows, kRows, to, kRows);
      }
    }
  });
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_FILTER_REORDER_H_
