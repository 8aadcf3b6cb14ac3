// Sums by channel: over everything else of a tensor [outer, channels, inner].
#ifndef DFRUN_KERNELS_NN_CHANNEL_SUMS_H_
#define DFRUN_KERNELS_NN_CHANNEL_SUMS_H_

#include <algorithm>
#include <vector>

#include "kernels/math/functions/element.h"
#include "kernels/nn/channel_layout.h"
#include "src/base/integers.h"
#include "src/base/threads.h"

namespace dfrun::channels {

// Prefetches nothing, for terms of elements that are in the caches.
struct FetchNothing {
  void operator()(int64_t, int64_t) const {}
};
// Prefetches for terms of float tensors the elements that come two pages later, since a CPU's own prefetchers stop at
// the end of a page. It is inlined, or GCC takes a function that only fetches for one that does nothing.
template <int kTensors>
struct FetchAhead {
  [[gnu::always_inline]] void operator()(int64_t first, int64_t count) const {
    constexpr int64_t kAhead = 2 * 4096 / sizeof(float);
    constexpr int64_t kLine = 64 / sizeof(float);
    for (const float* tensor : tensors) {
      for (int64_t i = 0; i < count; i += kLine) __builtin_prefetch(tensor + first + kAhead + i);
    }
  }
  const float* tensors[kTensors];
};

// sums[c] += term(r, c) over the rows. Eight rows at a time are added up in float, as a tree, before they go to double:
// nearly as exact as double all the way, at half the time. fetch(r) before rows r to r + 7.
template <class Term, class Fetch>
void AddRows(int64_t rows, int64_t columns, Term&& term, double* sums, Fetch&& fetch) {
  int64_t r = 0;
  for (; r + 8 <= rows; r += 8) {
    fetch(r);
    DF_INDEPENDENT_ITERATIONS
    for (int64_t c = 0; c < columns; ++c) {
      const float low = (term(r, c) + term(r + 1, c)) + (term(r + 2, c) + term(r + 3, c));
      const float high = (term(r + 4, c) + term(r + 5, c)) + (term(r + 6, c) + term(r + 7, c));
      sums[c] += static_cast<double>(low + high);
    }
  }
  for (; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) sums[c] += static_cast<double>(term(r, c));
  }
}

// The sum of term(i) over [0, n).
template <class Term>
double SumRun(int64_t n, Term&& term) {
  constexpr int64_t kLanes = 16;
  double lanes[kLanes] = {};
  const int64_t rows = n / kLanes;
  AddRows(
      rows, kLanes, [&](int64_t r, int64_t lane) { return term(r * kLanes + lane); }, lanes, [](int64_t) {});
  for (int64_t i = rows * kLanes; i < n; ++i) lanes[i % kLanes] += static_cast<double>(term(i));
  for (int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (int64_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

// Elements that are worth a thread: about 10 us.
constexpr int64_t kBlock = 32768;

// Rows of a tensor with its channels last that are summed up by themselves, so that bits depend on the layout alone.
inline int64_t RowsInBlock(int64_t channels) {
  return std::max<int64_t>(256, kBlock / std::max<int64_t>(1, channels));
}
// Adds the sums of each block of such rows, in order.
inline void AddBlocks(const std::vector<double>& blocks, int64_t channels, double* sums) {
  for (size_t first = 0; first < blocks.size(); first += static_cast<size_t>(channels)) {
    for (int64_t c = 0; c < channels; ++c) sums[c] += blocks[first + static_cast<size_t>(c)];
  }
}

// The number of parts that each block's channels are cut into, so that all threads have work; no sum's bits depend on
// it.
inline int64_t PartsOfBlock(const ChannelLayout& l, int64_t blocks, int64_t threads) {
  constexpr int64_t kMinChannels = 64;
  if (blocks % threads == 0 || blocks > 4 * threads) return 1;
  const int64_t elements = std::min(l.outer, RowsInBlock(l.channels)) * l.channels;
  return std::clamp<int64_t>(std::min(elements / kBlock, l.channels / kMinChannels), 1, threads);
}

// sums[c] of term(element, c) over the elements of each channel. The same on any number of threads: blocks depend on
// the layout alone. fetch(first element, count) prefetches the operands of terms that come soon.
template <class Term, class Fetch = FetchNothing>
void Sums(const ChannelLayout& l, ThreadPool& pool, Term&& term, double* sums, const Fetch& fetch = {}) {
  std::fill_n(sums, l.channels, 0.0);
  if (l.inner != 1) {
    const int64_t per_channel = l.outer * l.inner;
    pool.ParallelFor(l.channels, 1 + kBlock / (per_channel + 1), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        for (int64_t o = 0; o < l.outer; ++o) {
          const int64_t first = (o * l.channels + c) * l.inner;
          sums[c] += SumRun(l.inner, [&](int64_t i) { return term(first + i, c); });
        }
      }
    });
    return;
  }
  const int64_t rows = RowsInBlock(l.channels);
  const int64_t blocks = CeilDiv(l.outer, rows);
  const int64_t parts = PartsOfBlock(l, blocks, pool.num_threads());
  std::vector<double> partial(static_cast<size_t>(blocks * l.channels));
  pool.RunBlocks(blocks * parts, [&](int64_t i) {
    const int64_t begin = i / parts * rows;
    const int64_t end = std::min(l.outer, begin + rows);
    const int64_t first = i % parts * l.channels / parts;
    const int64_t next = (i % parts + 1) * l.channels / parts;
    AddRows(
        end - begin, next - first,
        [&](int64_t r, int64_t c) { return term((begin + r) * l.channels + first + c, first + c); },
        partial.data() + i / parts * l.channels + first,
        [&](int64_t r) __attribute__((always_inline)) {
          if (parts == 1) fetch((begin + r) * l.channels, 8 * l.channels);  // the rows lie one after the other
        });
  });
  AddBlocks(partial, l.channels, sums);
}

// Calls apply(element, c) for every element, in vectorised runs.
template <class Apply>
void ForElements(const ChannelLayout& l, ThreadPool& pool, Apply&& apply) {
  const bool by_row = l.inner == 1;  // a row: all channels of a pixel, or a channel of an image
  const int64_t width = by_row ? l.channels : l.inner;
  const int64_t rows = by_row ? l.outer : l.outer * l.channels;
  pool.ParallelFor(rows, 1 + kBlock / (width + 1), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t first = r * width;
      const int64_t channel = r % l.channels;
      if (by_row) {
        DF_INDEPENDENT_ITERATIONS
        for (int64_t c = 0; c < width; ++c) apply(first + c, c);
      } else {
        DF_INDEPENDENT_ITERATIONS
        for (int64_t i = 0; i < width; ++i) apply(first + i, channel);
      }
    }
  });
}

}  // namespace dfrun::channels

#endif  // DFRUN_KERNELS_NN_CHANNEL_SUMS_H_
