// Products over the pool: small ones by DirectGemm, others by BlockedGemm, tile by tile.
#ifndef DFRUN_KERNELS_MATRIX_GEMM_PLAN_H_
#define DFRUN_KERNELS_MATRIX_GEMM_PLAN_H_

#include <atomic>

#include "kernels/matrix/blocked_gemm.h"
#include "kernels/matrix/direct_gemm.h"
#include "kernels/matrix/gemm.h"
#include "kernels/matrix/gemm_block.h"
#include "kernels/matrix/simd.h"

namespace dfrun {

// The operands of a dense product as views.
template <class T>
MatrixView<const T> ViewA(const GemmShape& s, const T* a) {
  return {a, s.transpose_a ? s.m : s.k, s.transpose_a};
}
template <class T>
MatrixView<const T> ViewB(const GemmShape& s, const T* b) {
  return {b, s.transpose_b ? s.k : s.n, s.transpose_b};
}

// C cut into so many tiles of rows and of columns. No element's bits depend on it.
struct GemmGrid {
  int64_t count() const { return rows * columns; }
  // The i-th of C's tiles.
  struct Tile {
    int64_t row;
    int64_t rows;
    int64_t column;
    int64_t columns;
  };
  Tile At(const GemmShape& shape, int64_t i) const {
    const int64_t row = i / columns * shape.m / rows;
    const int64_t column = i % columns * shape.n / columns;
    return {row, (i / columns + 1) * shape.m / rows - row, column, (i % columns + 1) * shape.n / columns - column};
  }
  int64_t rows = 1;
  int64_t columns = 1;
};

// Of products by BlockedGemm, for a number of threads; packed: by PackedGemm.
struct ThreadTiles : GemmGrid {
  ThreadTiles(const GemmShape& shape, int threads, bool packed = false);
};

// Of products by DirectGemm: the longer side is cut, so that its operand is not read by every thread; and a layer's
// output, its gradient and its bias's are read where they were written.
struct DirectTiles : GemmGrid {
  DirectTiles(const GemmShape& shape, const ThreadPool& pool);
};

// Rows of C, in vectors, that make up for transposing its columns.
inline constexpr int64_t kWorthTransposing = 4;

// DirectGemm. C of fewer columns than a vector has lanes, but many rows, is computed as its transpose where A is one: A
// is then read in whole vectors, as it lies.
template <class T>
void RunDirectTile(int64_t rows, int64_t depth, int64_t columns, MatrixView<const T> a, MatrixView<const T> b,
                   MatrixView<T> c, const GemmOutput<T>& output) {
  if (!a.transposed || columns >= kLanes<T> || rows < kWorthTransposing * kLanes<T>) {
    return DirectGemm<T>(rows, depth, columns, a, b, c, output);
  }
  constexpr int64_t kRowsAtATime = 16 * kLanes<T>;
  T block[kLanes<T> * kRowsAtATime];
  for (int64_t row = 0; row < rows; row += kRowsAtATime) {
    const int64_t count = std::min(kRowsAtATime, rows - row);
    const MatrixView<const T> part = a.At(row, 0);
    DirectGemm<T>(columns, depth, count, {b.data, b.stride, !b.transposed}, {part.data, part.stride, !part.transposed},
                  {block, count, false});
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t j = 0; j < columns; ++j) c.data[(row + i) * c.stride + j] = block[j * count + i];
    }
  }
  FinishInMemory(output, c, rows, columns);
}

// C = A B by DirectGemm on the pool; what `output` does to a stored product is done.
template <class T>
void RunDirect(const GemmShape& s, const T* a, const T* b, T* c, ThreadPool& pool, const GemmOutput<T>& output = {}) {
  const DirectTiles tiles(s, pool);
  pool.RunBlocks(tiles.count(), [&](int64_t i) {
    const auto [row, rows, column, columns] = tiles.At(s, i);
    RunDirectTile<T>(rows, s.k, columns, ViewA(s, a).At(row, 0), ViewB(s, b).At(0, column),
                     {c + row * s.n + column, s.n, false}, output.At(row, column));
  });
}

// Calls `run` with the scratch memory that a product wants; false, and nothing is done, where the allocator has none.
template <class G, class F>
bool WithScratch(const G& gemm, Allocator& allocator, F&& run) {
  using T = typename G::Element;
  const size_t bytes = static_cast<size_t>(gemm.scratch_elements()) * sizeof(T);
  void* const scratch = allocator.Allocate(bytes);
  if (scratch == nullptr) return false;
  run(static_cast<T*>(scratch));
  allocator.Free(scratch, bytes);
  return true;
}

template <class G, class T>
bool RunInScratch(const G& gemm, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, Allocator& allocator) {
  return WithScratch(gemm, allocator, [&](T* scratch) { gemm.Run(a, b, c, scratch); });
}

// C as `output` says, tile by tile on the pool; m, k, n >= 1. Scratch memory comes from `allocator`; where there is
// none, some tiles are done and others not.
template <class T>
Status RunTiles(const GemmShape& s, const T* a, const T* b, T* c, ThreadPool& pool, Allocator& allocator,
                const GemmOutput<T>& output = {}) {
  const ThreadTiles tiles(s, pool.num_threads(),
                          BlockedGemm<T>(s.m, s.k, s.n, s.transpose_a, s.transpose_b, output).is_packed());
  std::atomic<bool> failed{false};
  pool.RunBlocks(tiles.count(), [&](int64_t i) {
    const auto [row, rows, column, columns] = tiles.At(s, i);
    const BlockedGemm<T> tile(rows, s.k, columns, s.transpose_a, s.transpose_b, output.At(row, column));
    const MatrixView<T> part{c + row * s.n + column, s.n, false};
    if (!RunInScratch(tile, ViewA(s, a).At(row, 0), ViewB(s, b).At(0, column), part, allocator)) {
      failed.store(true, std::memory_order_relaxed);
    }
  });
  if (!failed.load(std::memory_order_relaxed)) return Status();
  return Error(Code::kResourceExhausted, "no memory for copies of the operands of a matrix product");
}

// T: as DirectGemm's. Empty products are allowed.
template <class T>
class GemmPlan final : public Gemm<T> {
 public:
  explicit GemmPlan(const GemmShape& shape) : shape_(shape), is_direct_(PrefersDirectGemm(shape)) {}

  Status Run(const T* a, const T* b, T* c, ThreadPool& pool, Allocator& allocator) const override {
    const GemmShape& s = shape_;
    if (s.work() == 0) {
      std::fill_n(c, s.m * s.n, T{0});
      return Status();
    }
    if (is_direct_) {
      RunDirect(s, a, b, c, pool);
      return Status();
    }
    return RunTiles(s, a, b, c, pool, allocator);
  }

 private:
  const GemmShape shape_;
  const bool is_direct_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_GEMM_PLAN_H_
