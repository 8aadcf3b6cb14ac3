// The gradient of a bias: sums by channel.
#ifndef DFRUN_KERNELS_NN_BIAS_BIAS_SUMS_H_
#define DFRUN_KERNELS_NN_BIAS_BIAS_SUMS_H_

#include <algorithm>
#include <vector>

#include "kernels/math/functions/reducers.h"
#include "kernels/nn/channel_sums.h"

namespace dfrun {

// Up to this many rows are added up one after the other; more take the reduction engine's pairwise order.
inline constexpr int64_t kFewBiasRows = 64;

// sums[j] over a few rows, in strips of columns that stay in registers.
template <class T>
void SumFewBiasRows(const T* x, int64_t rows, int64_t columns, T* sums) {
  constexpr int64_t kStrip = 64;
  using C = typename red::WideOf<ComputeType<T>>::type;
  using A = std::conditional_t<std::is_same_v<C, double>, ComputeType<T>, C>;  // float is exact enough for so few
  for (int64_t begin = 0; begin < columns; begin += kStrip) {
    const int64_t width = std::min(kStrip, columns - begin);
    A strip[kStrip] = {};
    for (int64_t r = 0; r < rows; ++r) {
      const T* row = x + r * columns + begin;
      for (int64_t j = 0; j < width; ++j) strip[j] += static_cast<A>(row[j]);
    }
    for (int64_t j = 0; j < width; ++j) sums[begin + j] = static_cast<T>(strip[j]);
  }
}

// The gradient of float: of more rows, and of channels first, in double.
inline void SumBias(const ChannelLayout& layout, const float* dy, ThreadPool& pool, float* sums) {
  if (layout.inner == 1 && layout.outer <= kFewBiasRows) {
    return SumFewBiasRows(dy, layout.outer, layout.channels, sums);
  }
  std::vector<double> wide(static_cast<size_t>(layout.channels));
  channels::Sums(
      layout, pool, [dy](int64_t i, int64_t) { return dy[i]; }, wide.data(), channels::FetchAhead<1>{{dy}});
  std::transform(wide.begin(), wide.end(), sums, [](double sum) { return static_cast<float>(sum); });
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_BIAS_BIAS_SUMS_H_
