// Products over the pool: small ones by UnpackedGemm(), others by SerialGemm, tile by tile.
#ifndef DFRUN_KERNELS_GEMM_PARALLEL_GEMM_H_
#define DFRUN_KERNELS_GEMM_PARALLEL_GEMM_H_

#include <atomic>

#include "kernels/gemm/gemm.h"
#include "kernels/gemm/grid.h"
#include "kernels/gemm/serial_gemm.h"
#include "kernels/gemm/unpacked_gemm.h"

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

// Calls `run` with scratch memory of so many elements; false, and nothing is done, where the allocator has none.
template <class T, class F>
bool WithScratch(int64_t elements, Allocator& allocator, F&& run) {
  const size_t bytes = static_cast<size_t>(elements) * sizeof(T);
  void* const scratch = bytes > 0 ? allocator.Allocate(bytes) : nullptr;
  if (bytes > 0 && scratch == nullptr) return false;
  run(static_cast<T*>(scratch));
  if (bytes > 0) allocator.Free(scratch, bytes);
  return true;
}

// Calls run(i) for each of `count` tiles on the pool. ResourceExhausted where one says false: it had no memory to pack
// operands, and some tiles are done and others not.
template <class F>
Status RunTiles(int64_t count, ThreadPool& pool, F&& run) {
  std::atomic<bool> failed{false};
  pool.RunBlocks(count, [&](int64_t i) {
    if (!run(i)) failed.store(true, std::memory_order_relaxed);
  });
  if (!failed.load(std::memory_order_relaxed)) return Status();
  return Error(Code::kResourceExhausted, "no memory for copies of the operands of a matrix product");
}

// C = A B by UnpackedGemm() on the pool. T: as UnpackedGemm()'s.
template <class T>
void RunUnpacked(const GemmShape& s, const T* a, const T* b, T* c, ThreadPool& pool, const Epilogue<T>& epilogue = {}) {
  const Grid grid = GridOfUnpacked(s, pool);
  pool.RunBlocks(grid.count(), [&](int64_t i) {
    const Grid::Tile tile = grid.At(s, i);
    UnpackedGemm<T>(tile.rows, s.k, tile.columns, ViewA(s, a).At(tile.row, 0), ViewB(s, b).At(0, tile.column),
                    {c + tile.row * s.n + tile.column, s.n, false}, epilogue.At(tile.row, tile.column));
  });
}

// C = A B by SerialGemm on the pool. Its scratch memory comes from `allocator`; m, k, n >= 1.
template <class T>
Status RunSerial(const GemmShape& s, const T* a, const T* b, T* c, ThreadPool& pool, Allocator& allocator,
                 const Epilogue<T>& epilogue = {}) {
  const SerialGemm<T> whole(s.m, s.k, s.n, s.transpose_a, s.transpose_b, epilogue);
  const Grid grid = GridForThreads(s, pool.num_threads(), whole.algorithm() == GemmAlgorithm::kPacked);
  return RunTiles(grid.count(), pool, [&](int64_t i) {
    const Grid::Tile tile = grid.At(s, i);
    const SerialGemm<T> gemm(tile.rows, s.k, tile.columns, s.transpose_a, s.transpose_b,
                             epilogue.At(tile.row, tile.column));
    return WithScratch<T>(gemm.scratch_elements(), allocator, [&](T* scratch) {
      gemm.Run(ViewA(s, a).At(tile.row, 0), ViewB(s, b).At(0, tile.column),
               {c + tile.row * s.n + tile.column, s.n, false}, scratch);
    });
  });
}

// C = A B on the pool by UnpackedGemm() or SerialGemm, whichever suits the shape; empty products are allowed.
template <class T>
Status RunGemm(const GemmShape& s, const T* a, const T* b, T* c, ThreadPool& pool, Allocator& allocator,
               const Epilogue<T>& epilogue = {}) {
  if (!PrefersUnpackedGemm(s)) return RunSerial(s, a, b, c, pool, allocator, epilogue);
  RunUnpacked(s, a, b, c, pool, epilogue);
  return Status();
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_PARALLEL_GEMM_H_
