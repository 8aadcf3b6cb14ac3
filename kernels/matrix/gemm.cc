#include "kernels/matrix/gemm.h"

#include "kernels/matrix/gemm_plan.h"
#include "kernels/matrix/gemm_tiles.h"
#include "src/base/integers.h"
#include "src/framework/shape.h"

namespace dfrun {
namespace {

// Below this many multiplications (128^3) the direct kernel is level with BlockedGemm or ahead of it.
constexpr int64_t kDirectWork = int64_t{1} << 21;
// A tile of this much work takes 100 us, far more than the 20 us until a woken thread runs.
constexpr int64_t kTileWork = int64_t{8} << 20;
// Tiles have whole rows of C where there are rows enough: oneDNN then reads B as it is, where for a part of its columns
// it copies it. Measured in GF on tiles of [1024, 1024] in bfloat16: 256 rows of all columns 1018, as the whole;
// 512 x 512 830; 256 x 256 820. Fewer rows reuse too little of B: 128 of all columns 12% less.
constexpr int64_t kMinRows = 256;
constexpr int64_t kMinColumns = 512;
constexpr int64_t kEnoughTiles = 4;
constexpr int64_t kMaxTiles = 256;
constexpr int64_t kTileStep = 16;
// The least work of one of GemmPlan's tiles, and what several tiles a thread are worth having for: each copies
// operands, but the threads do not run at one speed.
constexpr int64_t kThreadTileWork = int64_t{4} << 20;
constexpr int64_t kUnevenWork = int64_t{96} << 20;
constexpr int64_t kTilesAThread = 4;
constexpr int64_t kThreadTileColumns = 96;
// Elements of a C that stays in the second-level cache.
constexpr int64_t kCachedElements = int64_t{1} << 18;
// The least work of a part of a direct product: some 10 us, where threads have to be woken; 2.5 us, twice what it takes
// a thread to see it that looks for work.
constexpr int64_t kDirectPartWork = int64_t{1} << 19;
constexpr int64_t kReadyPartWork = int64_t{1} << 17;
constexpr int64_t kDirectPartRows = 32;
constexpr int64_t kDirectPartColumns = 128;
constexpr int64_t kThreadTileRows = 64;
// Of tiles whose operands are both copied: fewer rows do not pay for copies of B. Of [128, 1024] x [1024, 1024] halves
// of the columns take 0.95 of the time of halves of the rows.
constexpr int64_t kPackedTileRows = 256;
constexpr int64_t kPackedTileColumns = 240;

int64_t Halved(int64_t side) {
  return RoundUp<int64_t>(CeilDiv<int64_t>(side, 2), kTileStep);
}

}  // namespace

int64_t GemmShape::work() const {
  int64_t product = 0;
  if (__builtin_mul_overflow(m, k, &product) || __builtin_mul_overflow(product, n, &product)) return INT64_MAX;
  return product;
}

Result<GemmShape> MatchMatrices(std::span<const int64_t> a, std::span<const int64_t> b, bool transpose_a,
                                bool transpose_b) {
  if (a.size() < 2 || b.size() < 2) {
    return InvalidArgument("matrices are multiplied, but the inputs have the shapes ", Shape(a), " and ", Shape(b));
  }
  const auto a_dims = a.last(2);
  const auto b_dims = b.last(2);
  const GemmShape product{a_dims[transpose_a ? 1 : 0], a_dims[transpose_a ? 0 : 1], b_dims[transpose_b ? 0 : 1],
                          transpose_a, transpose_b};
  const int64_t inner_b = b_dims[transpose_b ? 1 : 0];
  if (inner_b == product.k) return product;
  return InvalidArgument("cannot multiply ", Shape(a), transpose_a ? " (transposed)" : "", " by ", Shape(b),
                         transpose_b ? " (transposed)" : "", ": the inner sizes ", product.k, " and ", inner_b,
                         " differ");
}

bool PrefersDirectGemm(const GemmShape& shape) {
  return shape.work() <= kDirectWork;
}

GemmTiles::GemmTiles(const GemmShape& shape) : rows(shape.m), columns(shape.n) {
  const int64_t wanted = std::clamp<int64_t>(shape.work() / kTileWork, 1, kMaxTiles);
  int64_t tiles = 1;
  for (; tiles < wanted && rows >= 2 * kMinRows; tiles *= 2) rows = Halved(rows);
  for (; tiles < std::min(wanted, kEnoughTiles) && columns >= 2 * kMinColumns; tiles *= 2) columns = Halved(columns);
  row_tiles = std::max<int64_t>(1, CeilDiv(shape.m, std::max<int64_t>(rows, 1)));
  column_tiles = std::max<int64_t>(1, CeilDiv(shape.n, std::max<int64_t>(columns, 1)));
}

DirectTiles::DirectTiles(const GemmShape& shape, const ThreadPool& pool) {
  const bool by_columns = shape.n > shape.m;
  const int64_t most = by_columns ? shape.n / kDirectPartColumns : shape.m / kDirectPartRows;
  const int64_t woken = std::min<int64_t>(shape.work() / kDirectPartWork, pool.num_threads());
  const int64_t ready = std::min<int64_t>(shape.work() / kReadyPartWork, pool.ready_threads());
  (by_columns ? columns : rows) = std::max<int64_t>(1, std::min(most, std::max(woken, ready)));
}

ThreadTiles::ThreadTiles(const GemmShape& shape, int threads, bool packed) {
  if (threads == 1) return;
  const int64_t a_thread = std::clamp<int64_t>(shape.work() / threads / kUnevenWork, 1, kTilesAThread);
  const int64_t wanted = std::clamp<int64_t>(shape.work() / kThreadTileWork, 1, threads * a_thread);
  // A C larger than its operands is written row by row where it leaves the cache; else the larger operand is read in
  // parts, since each tile copies its parts of both. PackedGemm wants columns.
  const bool is_wide = shape.m * shape.n > shape.k * (shape.m + shape.n);
  const bool rows_first = packed || (is_wide && (shape.m * shape.n > kCachedElements || shape.m >= shape.n));
  const int64_t most_rows = std::max({int64_t{1}, std::min<int64_t>(threads, shape.m / kThreadTileRows),
                                      shape.m / (packed ? kPackedTileRows : kThreadTileRows)});
  const int64_t most_columns = std::max<int64_t>(1, shape.n / (packed ? kPackedTileColumns : kThreadTileColumns));
  const int64_t rows_before_columns = packed ? std::max<int64_t>(1, shape.m / kPackedTileRows) : most_rows;
  rows = rows_first ? std::min(rows_before_columns, wanted) : 1;
  columns = std::min(most_columns, wanted / rows);
  rows = std::min(most_rows, wanted / columns);
  // As many for each thread: of five tiles, two threads take three.
  if (columns > threads) columns -= columns % threads;
  // Narrow tiles are better than threads without any.
  if (count() < threads) columns = std::max(columns, std::min(wanted / rows, shape.n / kThreadTileColumns));
}

}  // namespace dfrun
