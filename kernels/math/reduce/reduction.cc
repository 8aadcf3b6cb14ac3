#include "kernels/math/reduce/reduction.h"

#include <algorithm>

#include "kernels/math/elementwise/elementwise.h"
#include "src/base/integers.h"

namespace dfrun::cpu {
namespace {

// Elements that one thread folds at a time: some 10 us of work, as long as it takes to wake a thread.
constexpr int64_t kChunk = 65536;
// Accumulators that a thread keeps on its stack, in bytes: half of the first cache.
constexpr size_t kTileBytes = 16384;

// One reduction under way. Outputs are cut into tiles, and the rows that fold into a tile into chunks. A thread takes a
// pair of a tile and a chunk at a time.
class Run {
 public:
  Run(const ReductionLoops& loops, const ReductionPlan& plan, const void* input, void* output)
      : loops_(loops), plan_(plan), input_(input), output_(output) {
    // A row that folds into one output is cut into pieces; a row of outputs is cut into tiles.
    piece_ = plan.row_is_reduced ? std::clamp<int64_t>(plan.row, 1, kChunk) : 1;
    pieces_per_row_ = plan.row_is_reduced ? CeilDiv(plan.row, piece_) : 1;
    pieces_ = plan.reduced.count * pieces_per_row_;
    tile_ = plan.row_is_reduced ? 1 : std::min<int64_t>(plan.row, kTileBytes / loops.accumulator_size);
    tiles_per_row_ = plan.row_is_reduced ? 1 : CeilDiv(plan.row, tile_);
    tiles_ = plan.kept.count * tiles_per_row_;
    pieces_per_chunk_ = std::max<int64_t>(1, kChunk / (piece_ * tile_));
    chunks_ = CeilDiv(pieces_, pieces_per_chunk_);
  }

  Status Execute(OpContext& ctx) {
    if (HasShortRows()) {
      ctx.pool().ParallelFor(plan_.kept.count, kChunk / plan_.row,
                             [&](int64_t begin, int64_t end) { ReduceShortRows(begin, end); });
      return Status();
    }
    if (chunks_ <= 1) {
      const int64_t work_per_tile = std::max<int64_t>(1, pieces_ * piece_ * tile_);
      ctx.pool().ParallelFor(tiles_, std::max<int64_t>(1, kChunk / work_per_tile), [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; ++t) ReduceTile(t);
      });
      return Status();
    }
    const int64_t bytes = tile_ * static_cast<int64_t>(loops_.accumulator_size);
    DF_ASSIGN(Tensor partials, ctx.AllocateTemp(DType::kUint8, Shape({tiles_ * chunks_, bytes})));
    ctx.pool().RunBlocks(tiles_ * chunks_, [&](int64_t i) {
      ReduceChunk(i / chunks_, i % chunks_, partials.data<uint8_t>() + i * bytes);
    });
    for (int64_t t = 0; t < tiles_; ++t) {
      uint8_t* first = partials.data<uint8_t>() + t * chunks_ * bytes;
      for (int64_t c = 1; c < chunks_; ++c) loops_.merge(first + c * bytes, TileWidth(t), first);
      Finish(t, first);
    }
    return Status();
  }

 private:
  int64_t TileWidth(int64_t tile) const {
    return plan_.row_is_reduced ? 1 : std::min(tile_, plan_.row - tile % tiles_per_row_ * tile_);
  }
  void ReduceTile(int64_t tile) const {
    alignas(64) std::byte accumulators[kTileBytes];
    ReduceChunk(tile, 0, accumulators);
    Finish(tile, accumulators);
  }
  // True where outputs are of short rows that follow one another.
  bool HasShortRows() const {
    constexpr int64_t kShortRow = 32;
    return plan_.row_is_reduced && plan_.row > 0 && plan_.row <= kShortRow && plan_.reduced.count == 1 &&
           plan_.kept.count > 1 && plan_.kept.rank == 1 && plan_.kept.strides[0] == plan_.row;
  }
  void ReduceShortRows(int64_t begin, int64_t end) const {
    alignas(64) std::byte accumulators[kTileBytes];
    const auto most = static_cast<int64_t>(kTileBytes / loops_.accumulator_size);
    for (int64_t r = begin; r < end; r += most) {
      const int64_t rows = std::min(most, end - r);
      loops_.reduce_short_rows(At(input_, r * plan_.row, loops_.input_size), rows, plan_.row, accumulators);
      loops_.finish(accumulators, rows, plan_.row, At(output_, r, loops_.output_size));
    }
  }
  // Folds the pieces of one chunk into the tile's accumulators.
  void ReduceChunk(int64_t tile, int64_t chunk, void* accumulators) const {
    const int64_t width = TileWidth(tile);
    const int64_t base = plan_.kept.Offset(tile / tiles_per_row_) + tile % tiles_per_row_ * tile_;
    const int64_t end = std::min(pieces_, (chunk + 1) * pieces_per_chunk_);
    loops_.start(accumulators, width);
    if (!plan_.row_is_reduced && plan_.reduced.rank <= 1) {
      const int64_t first = chunk * pieces_per_chunk_;
      const std::byte* x = At(input_, base + plan_.reduced.Offset(first), loops_.input_size);
      return loops_.reduce_rows(x, end - first, plan_.reduced.strides[0], width, accumulators);
    }
    for (int64_t p = chunk * pieces_per_chunk_; p < end; ++p) {
      const int64_t in_row = p % pieces_per_row_ * piece_;
      const std::byte* x = At(input_, base + plan_.reduced.Offset(p / pieces_per_row_) + in_row, loops_.input_size);
      if (plan_.row_is_reduced) {
        loops_.reduce_run(x, std::min(piece_, plan_.row - in_row), accumulators);
      } else {
        loops_.reduce_rows(x, 1, 0, width, accumulators);
      }
    }
  }
  void Finish(int64_t tile, const void* accumulators) const {
    const int64_t row = plan_.row_is_reduced ? 1 : plan_.row;
    const int64_t at = tile / tiles_per_row_ * row + tile % tiles_per_row_ * tile_;
    loops_.finish(accumulators, TileWidth(tile), plan_.num_reduced(), At(output_, at, loops_.output_size));
  }

  const ReductionLoops& loops_;
  const ReductionPlan& plan_;
  const void* input_;
  void* output_;
  int64_t piece_;
  int64_t pieces_per_row_;
  int64_t pieces_;
  int64_t tile_;
  int64_t tiles_per_row_;
  int64_t tiles_;
  int64_t pieces_per_chunk_;
  int64_t chunks_;
};

}  // namespace

Status RunReduction(const ReductionLoops& loops, const ReductionPlan& plan, const void* input, void* output,
                    OpContext& ctx) {
  const int64_t outputs = plan.num_outputs();
  if (outputs == 0) return Status();
  return Run(loops, plan, input, output).Execute(ctx);
}

ReductionKernel::ReductionKernel(KernelSetup& setup, const ReductionLoops& loops)
    : loops_(loops),
      keep_dims_(setup.attr<bool>("keep_dims")),
      expensive_(setup.input_shape(0).num_elements() >= kExpensiveCount) {}

Status ReductionKernel::Compute(OpContext& ctx) {
  const Tensor& x = ctx.input(0);
  DF_ASSIGN(const std::vector<bool> is_reduced, ReadReductionAxes(ctx.input(1), x.shape().rank()));
  ReductionPlan plan;
  Shape shape;
  DF_TRY(PlanReduction(x.shape(), is_reduced, keep_dims_, plan, shape));
  Tensor* y = nullptr;
  DF_TRY(ctx.AllocateOutput(0, shape, &y));
  return RunReduction(loops_, plan, x.raw(), y->raw(), ctx);
}

}  // namespace dfrun::cpu
