// Sums over all elements of each channel of a tensor, and maps of its elements by their channels, on GPUs.
#ifndef DFRUN_KERNELS_NN_NORM_CHANNEL_MAPS_CUDA_H_
#define DFRUN_KERNELS_NN_NORM_CHANNEL_MAPS_CUDA_H_

#include <algorithm>

#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/functions/element.h"
#include "kernels/math/reduce/reduction_cuda.h"
#include "kernels/nn/channel_layout.h"
#include "src/base/integers.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun::cuda {

// Two sums of a channel.
struct ChannelTotals {
  double a;
  double b;
};
struct AddTotals {
  DF_HOST_DEVICE ChannelTotals operator()(const ChannelTotals& x, const ChannelTotals& y) const {
    return {x.a + y.a, x.b + y.b};
  }
};

// The first element of channel `channel`, by the plan of the sums; 0 where channels have none.
DF_HOST_DEVICE inline int64_t FirstOfChannel(const ReductionPlan& plan, int64_t channel) {
  return plan.num_reduced() == 0 ? 0 : FoldedInput(plan, channel, 0);
}

// Sums of the elements from `begin` to below `end` of a channel that are this one's of `threads` threads, in order.
template <class Terms>
DF_DEVICE_FUNCTION ChannelTotals SumTerms(const ReduceGrid& grid, const Terms& terms, int64_t channel, int64_t begin,
                                          int64_t end, int thread, int threads) {
  constexpr int kAtATime = 4;  // elements that are on their way
  const ReductionPlan& plan = grid.plan;
  const int64_t first = FirstOfChannel(plan, channel);
  const auto of_channel = terms.Of(channel, first);
  const bool is_line = plan.row_is_reduced ? plan.reduced.count == 1 : plan.reduced.rank <= 1;
  const int64_t stride = plan.row_is_reduced ? 1 : plan.reduced.strides[0];
  const auto term = [&](int64_t at) {
    const int64_t element = is_line ? first + at * stride : FoldedInput(plan, channel, at);
    return of_channel(terms.template Load<1>(element).At(0));
  };
  ChannelTotals sums = {0, 0};
  int64_t i = begin + thread;
  for (; i + (kAtATime - 1) * threads < end; i += kAtATime * threads) {
    ChannelTotals values[kAtATime];
    for (int k = 0; k < kAtATime; ++k) values[k] = term(i + k * threads);
    for (int k = 0; k < kAtATime; ++k) sums = AddTotals()(sums, values[k]);
  }
  for (; i < end; i += threads) sums = AddTotals()(sums, term(i));
  return sums;
}

// Stores the sums of one chunk of a channel in `partials`; where the channel has one chunk only, they go to `finish`.
template <class Finish>
DF_DEVICE_FUNCTION void KeepTotals(const ReduceGrid& grid, int64_t channel, int64_t chunk, const ChannelTotals& sums,
                                   ChannelTotals* partials, const Finish& finish) {
  if (grid.chunks == 1) {
    finish(channel, FirstOfChannel(grid.plan, channel), sums);
  } else {
    partials[channel * grid.chunks + chunk] = sums;
  }
}

DF_HOST_DEVICE inline int64_t EndOfChunk(const ReduceGrid& grid, int64_t begin) {
  const int64_t most = grid.plan.num_reduced();
  return begin + grid.chunk < most ? begin + grid.chunk : most;
}

template <class Terms, class Finish>
DF_DEVICE_KERNEL void SumChannelsByBlock(ReduceGrid grid, Terms terms, ChannelTotals* partials, Finish finish) {
  const int64_t block = GlobalBlockId();
  const int64_t channel = block / grid.chunks;
  const int64_t chunk = block - channel * grid.chunks;
  const int64_t begin = chunk * grid.chunk;
  const ChannelTotals mine =
      SumTerms(grid, terms, channel, begin, EndOfChunk(grid, begin), ThreadInBlock(), kBlockThreads);
  const ChannelTotals all = BlockReduce(mine, AddTotals());
  if (ThreadInBlock() == 0) KeepTotals(grid, channel, chunk, all, partials, finish);
}

// Neighbouring threads have neighbouring channels.
template <class Terms, class Finish>
DF_DEVICE_KERNEL void SumChannelsByThread(ReduceGrid grid, Terms terms, ChannelTotals* partials, Finish finish) {
  const int64_t thread = GlobalThreadId();
  if (thread >= grid.outputs * grid.chunks) return;
  const int64_t chunk = thread / grid.outputs;
  const int64_t channel = thread - chunk * grid.outputs;
  const int64_t begin = chunk * grid.chunk;
  KeepTotals(grid, channel, chunk, SumTerms(grid, terms, channel, begin, EndOfChunk(grid, begin), 0, 1), partials,
             finish);
}

// Channels side by side, of which a thread has some that it reads at once, in the rows of one chunk.
template <int kWidth, class Terms, class Finish>
DF_DEVICE_KERNEL void SumChannelRows(ReduceGrid grid, Terms terms, ChannelTotals* partials, Finish finish) {
  constexpr int kAtATime = 4;  // rows that are on their way
  const int64_t groups = grid.outputs / kWidth;
  const int64_t thread = GlobalThreadId();
  if (thread >= groups * grid.chunks) return;
  const int64_t chunk = thread / groups;
  const int64_t channel = (thread - chunk * groups) * kWidth;
  const int64_t end = EndOfChunk(grid, chunk * grid.chunk);
  typename Terms::Channel of_channel[kWidth];
  ChannelTotals sums[kWidth];
  for (int k = 0; k < kWidth; ++k) {
    of_channel[k] = terms.Of(channel + k, channel + k);
    sums[k] = {0, 0};
  }
  const auto load = [&](int64_t row) { return terms.template Load<kWidth>(row * grid.outputs + channel); };
  const auto add = [&](const auto& row) {
    for (int k = 0; k < kWidth; ++k) sums[k] = AddTotals()(sums[k], of_channel[k](row.At(k)));
  };
  int64_t row = chunk * grid.chunk;
  for (; row + kAtATime <= end; row += kAtATime) {
    decltype(load(row)) rows[kAtATime];
    for (int k = 0; k < kAtATime; ++k) rows[k] = load(row + k);
    for (int k = 0; k < kAtATime; ++k) add(rows[k]);
  }
  for (; row < end; ++row) add(load(row));
  for (int k = 0; k < kWidth; ++k) KeepTotals(grid, channel + k, chunk, sums[k], partials, finish);
}

// The grid for channels that lie side by side, with threads that have `width` of them each.
inline ReduceGrid GridOfRows(const ReductionPlan& plan, int width) {
  constexpr int64_t kThreads = 132 * 1024;
  constexpr int64_t kMinRows = 32;
  constexpr int64_t kMaxChunks = 1024;
  ReduceGrid grid = ReduceGrid::Of(plan);
  const int64_t rows = plan.num_reduced();
  const int64_t groups = grid.outputs / width;
  const int64_t chunks = std::clamp<int64_t>(std::min(kThreads / groups, rows / kMinRows), 1, kMaxChunks);
  grid.by_block = false;
  grid.chunk = std::max<int64_t>(1, CeilDiv(rows, chunks));
  grid.chunks = std::max<int64_t>(1, CeilDiv(rows, grid.chunk));
  return grid;
}

template <class Finish>
DF_DEVICE_KERNEL void FinishChannels(ReduceGrid grid, const ChannelTotals* partials, Finish finish) {
  const int64_t channel = GlobalBlockId();
  ChannelTotals mine = {0, 0};
  for (int64_t i = ThreadInBlock(); i < grid.chunks; i += kBlockThreads) {
    mine = AddTotals()(mine, partials[channel * grid.chunks + i]);
  }
  const ChannelTotals all = BlockReduce(mine, AddTotals());
  if (ThreadInBlock() == 0) finish(channel, FirstOfChannel(grid.plan, channel), all);
}

// Adds up terms.Of(channel, its first element)(element) over the elements of each channel, which terms.Load() reads, in
// an order that sizes alone decide, and calls finish(channel, its first element, sums) once for each. T: the elements'.
template <class T, class Terms, class Finish>
Status SumChannels(OpContext& ctx, const ChannelLayout& layout, const Terms& terms, const Finish& finish) {
  constexpr int kWidth = WidthOf(sizeof(T));
  ReductionPlan plan;
  Shape output;
  DF_TRY(PlanReduction(Shape({layout.outer, layout.channels, layout.inner}), {true, false, true}, false, plan, output));
  if (plan.num_outputs() == 0) return Status();
  const bool by_rows = layout.inner == 1 && layout.channels % kWidth == 0;
  const ReduceGrid grid = by_rows ? GridOfRows(plan, kWidth) : ReduceGrid::Of(plan);
  const int64_t parts = grid.outputs * grid.chunks;
  Tensor memory;
  if (grid.chunks > 1) {
    DF_ASSIGN(memory, ctx.AllocateTemp(DType::kDouble, Shape({parts, 2})));
  }
  auto* const partials = static_cast<ChannelTotals*>(memory.raw());
  if (by_rows && terms.is_aligned()) {
    DF_TRY(Launch(ctx, parts / kWidth, &SumChannelRows<kWidth, Terms, Finish>, grid, terms, partials, finish));
  } else if (by_rows) {
    DF_TRY(Launch(ctx, parts, &SumChannelRows<1, Terms, Finish>, grid, terms, partials, finish));
  } else if (grid.by_block) {
    DF_TRY(LaunchWithBarriers(ctx, parts, &SumChannelsByBlock<Terms, Finish>, grid, terms, partials, finish));
  } else {
    DF_TRY(Launch(ctx, parts, &SumChannelsByThread<Terms, Finish>, grid, terms, partials, finish));
  }
  if (grid.chunks == 1) return Status();
  return LaunchWithBarriers(ctx, grid.outputs, &FinishChannels<Finish>, grid, partials, finish);
}

// Rows of channels side by side. A thread has some of the channels, so that it reads their parameters once.
inline constexpr int64_t kMapRows = 4;

template <class Map, int kWidth>
DF_DEVICE_KERNEL void MapChannelRows(Map map, int64_t rows, int64_t channels) {
  const int64_t groups = channels / kWidth;
  const int64_t thread = GlobalThreadId();
  const int64_t first = thread / groups * kMapRows;
  if (first >= rows) return;
  const int64_t channel = thread % groups * kWidth;
  const auto of_channels = map.template Load<kWidth>(channel);
  const int64_t end = first + kMapRows < rows ? first + kMapRows : rows;
  for (int64_t row = first; row < end; ++row) map.template Apply<kWidth>(of_channels, row * channels + channel);
}

template <class Map>
DF_DEVICE_KERNEL void MapOfChannel(Map map, int64_t n, int64_t channels, int64_t inner) {
  const int64_t i = GlobalThreadId();
  if (i < n) map.template Apply<1>(map.template Load<1>(i / inner % channels), i);
}

// Calls map.Apply(map.Load(channel), i) for each element i of a tensor of T, or for vectors of them.
template <class T, class Map>
Status LaunchOverChannels(OpContext& ctx, const ChannelLayout& layout, const Map& map) {
  constexpr int kWidth = WidthOf(sizeof(T));
  const int64_t rows = layout.outer;
  const int64_t channels = layout.channels;
  if (layout.inner != 1) {
    const int64_t n = rows * channels * layout.inner;
    return Launch(ctx, n, &MapOfChannel<Map>, map, n, channels, layout.inner);
  }
  const int64_t threads = CeilDiv(rows, kMapRows) * channels;
  if (channels % kWidth == 0 && map.is_aligned()) {
    return Launch(ctx, threads / kWidth, &MapChannelRows<Map, kWidth>, map, rows, channels);
  }
  return Launch(ctx, threads, &MapChannelRows<Map, 1>, map, rows, channels);
}

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_NN_NORM_CHANNEL_MAPS_CUDA_H_
