#include "kernels/gemm/grid.h"

#include <algorithm>

#include "kernels/gemm/tuning.h"
#include "src/base/integers.h"

namespace dfrun {

Grid::Tile Grid::At(const GemmShape& shape, int64_t i) const {
  const auto begin = [this](int64_t size, int64_t part, int64_t parts) {
    return std::min(size, CeilDiv(size, step) * part / parts * step);
  };
  const int64_t row = begin(shape.m, i / columns, rows);
  const int64_t column = begin(shape.n, i % columns, columns);
  return {row, begin(shape.m, i / columns + 1, rows) - row, column, begin(shape.n, i % columns + 1, columns) - column};
}

Grid GridOfUnpacked(const GemmShape& shape, const ThreadPool& pool) {
  const bool by_columns = shape.n > shape.m;
  const int64_t most = by_columns ? shape.n / kUnpackedTileColumns : shape.m / kUnpackedTileRows;
  const int64_t woken = std::min<int64_t>(shape.work() / kUnpackedTileWork, pool.num_threads());
  const int64_t ready = std::min<int64_t>(shape.work() / kReadyTileWork, pool.ready_threads());
  Grid grid;
  (by_columns ? grid.columns : grid.rows) = std::max<int64_t>(1, std::min(most, std::max(woken, ready)));
  return grid;
}

Grid GridForThreads(const GemmShape& shape, int threads, bool packed) {
  Grid grid;
  if (threads == 1) return grid;
  const int64_t a_thread = std::clamp<int64_t>(shape.work() / threads / kUnevenWork, 1, kTilesAThread);
  const int64_t wanted = std::clamp<int64_t>(shape.work() / kThreadTileWork, 1, threads * a_thread);
  // A C larger than its operands is written row by row where it leaves the cache; else the larger operand is read in
  // parts, since each tile packs its parts of both.
  const bool is_wide = shape.m * shape.n > shape.k * (shape.m + shape.n);
  const bool rows_first = packed || (is_wide && (shape.m * shape.n > kCachedElementsOfC || shape.m >= shape.n));
  const int64_t most_rows = std::max({int64_t{1}, std::min<int64_t>(threads, shape.m / kThreadTileRows),
                                      shape.m / (packed ? kPackedTileRows : kThreadTileRows)});
  const int64_t most_columns = std::max<int64_t>(1, shape.n / (packed ? kPackedTileColumns : kThreadTileColumns));
  const int64_t rows_before_columns = packed ? std::max<int64_t>(1, shape.m / kPackedTileRows) : most_rows;
  grid.rows = rows_first ? std::min(rows_before_columns, wanted) : 1;
  grid.columns = std::min(most_columns, wanted / grid.rows);
  grid.rows = std::min(most_rows, wanted / grid.columns);
  // Each thread gets as many tiles: of five tiles, two threads take three.
  if (grid.columns > threads) grid.columns -= grid.columns % threads;
  // Narrow tiles are better than threads without any.
  if (grid.count() < threads) {
    grid.columns = std::max(grid.columns, std::min(wanted / grid.rows, shape.n / kThreadTileColumns));
  }
  return grid;
}

Grid GridOfShape(const GemmShape& shape) {
  constexpr int64_t kVectorOfTiles = 16;
  const int64_t wanted = std::clamp<int64_t>(shape.work() / kLibraryTileWork, 1, kMaxLibraryTiles);
  Grid grid{.step = kVectorOfTiles};
  while (grid.count() < wanted && shape.m / grid.rows >= 2 * kLibraryTileRows) grid.rows *= 2;
  const int64_t enough = std::min(wanted, kEnoughLibraryTiles);
  while (grid.count() < enough && shape.m / grid.rows >= 2 * kFewLibraryTileRows) grid.rows *= 2;
  while (grid.count() < enough && shape.n / grid.columns >= 2 * kLibraryTileColumns) grid.columns *= 2;
  return grid;
}

}  // namespace dfrun
