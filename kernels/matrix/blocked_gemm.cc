#include "kernels/matrix/blocked_gemm.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/matrix/gemm_block.h"
#include "kernels/matrix/panel_pack.h"

namespace dfrun {
namespace {

template <class T>
constexpr int64_t kPanelColumns = int64_t{kMaxVectors} * kLanes<T>;
// What may be counted on to stay in the second-level cache of one core.
template <class T>
constexpr int64_t kCachedElements = (int64_t{1} << 20) / static_cast<int64_t>(sizeof(T));
// Longest pass over k; C is read again by the next.
constexpr int64_t kMaxDepth = 1024;
// Rows of B that are read ahead where they lie a multiple of 4 KiB apart: they share a few sets of the caches.
// [32,512]x[512,1024] with passes of 128 / 256 / 512: 0.81 / 0.71 / 0.58 of the FMA peak.
constexpr int64_t kMaxAliasedDepth = 128;
// More rows of A than these take so long with a panel of B that it does not matter how the next is read.
constexpr int64_t kRowsThatHideReading = 256;
// Columns of a C that would not stay in the cache between passes.
constexpr int64_t kColumnsAPass = 512;
// Rows of C^T that are computed before they are transposed: whole vectors of C's columns.
constexpr int64_t kSwappedRows = 112;
// Rows of a C larger than the cache: they are written whole, in order.
constexpr int64_t kRowsAtATime = 2 * int64_t{MaxRows(kMaxVectors)};
// Panels of B that pay for a copy of A.
constexpr int64_t kPanelsWorthCopying = 3;

constexpr int64_t CeilDiv(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

template <class T>
constexpr int64_t WholeVectors(int64_t count) {
  return CeilDiv(count, kLanes<T>) * kLanes<T>;
}

// A number of elements that rows may be apart without meeting in a few sets of the caches.
template <class T>
constexpr int64_t SpreadStride(int64_t count) {
  const int64_t vectors = CeilDiv(count, kLanes<T>);
  return (vectors + 1 - vectors % 2) * kLanes<T>;
}

// The depth of passes over B, `stride` elements a row.
template <class T>
int64_t PassDepth(int64_t k, int64_t stride) {
  constexpr int64_t kPageBytes = 4096;
  const int64_t distinct = kPageBytes / std::gcd(kPageBytes, stride * static_cast<int64_t>(sizeof(T)));
  return CeilDiv(k, CeilDiv(k, std::min(kMaxDepth, kMaxAliasedDepth * distinct)));
}

// The rows of `from`'s memory, `stride` apart.
template <class T>
void CopyRows(MatrixView<const T> from, int64_t rows, int64_t columns, T* to, int64_t stride) {
  for (int64_t i = 0; i < rows; ++i) std::copy_n(from.data + i * from.stride, columns, to + i * stride);
}

// The part of the next panel of B, which is not packed yet, that the tile `tile` of `tiles` asks for.
template <class T>
Ahead NextPanel(MatrixView<const T> b, int64_t depth, int64_t tile, int64_t tiles) {
  int shift = 0;
  while (2 * (kMaxVectors << shift) <= tiles) ++shift;
  const int64_t vector = tile >> shift;
  if (vector >= kMaxVectors) return {b.data};
  const int64_t part = tile - (vector << shift);
  const T* const at = b.data + vector * kLanes<T> + (part * depth >> shift) * b.stride;
  return {at, b.stride * static_cast<int64_t>(sizeof(T)), shift};
}

}  // namespace

// One pass over k for some rows of A and all of B.
template <class T>
struct BlockedGemm<T>::Pass {
  int64_t m;
  int64_t depth;
  int64_t n;
  MatrixView<const T> a;
  MatrixView<const T> b;
  MatrixView<T> c;
  IntoC into;
  T* panels;
  bool keeps_panels;  // all of them, for passes to come; else each takes the place of the one before
  bool has_panels;    // an earlier pass left them
};

template <class T>
BlockedGemm<T>::BlockedGemm(int64_t m, int64_t k, int64_t n, bool transposed_a, bool transposed_b, int64_t b_stride,
                            GemmInto into)
    : into_(into), m_(m), k_(k), n_(n), columns_(n) {
  // In multiplications: transposing an element of B costs 10, so does one of A, one of C 20.
  const bool adds = into == GemmInto::kAdd;
  swapped_ = !adds && transposed_b && k * m <= kCachedElements<T> && 2 * m * n + (transposed_a ? 0 : m * k) < n * k;
  if (swapped_) {
    std::swap(m_, n_);
    depth_ = k_;
    rows_ = kSwappedRows;
    keeps_panels_ = true;
    copies_a_ = false;
    b_elements_ = depth_ * WholeVectors<T>(n_);
    c_elements_ = rows_ * WholeVectors<T>(n_);
    return;
  }
  const bool reads_ahead = !transposed_b && m <= kRowsThatHideReading;
  depth_ = adds ? k : reads_ahead ? PassDepth<T>(k, b_stride) : CeilDiv(k, CeilDiv(k, kMaxDepth));
  keeps_panels_ = depth_ == k && k * n <= kCachedElements<T> && m * n >= kCachedElements<T> / 2;
  int64_t cached_rows = std::max<int64_t>(kCachedElements<T> / depth_, kLanes<T>);
  if (depth_ < k && m * n > kCachedElements<T> / 2) {
    columns_ = WholeVectors<T>(CeilDiv(n, CeilDiv(n, kColumnsAPass)));
    cached_rows = std::min(cached_rows, std::max<int64_t>(kCachedElements<T> / 2 / columns_, kLanes<T>));
  }
  rows_ = keeps_panels_ ? kRowsAtATime : CeilDiv(m, CeilDiv(m, cached_rows));
  copies_a_ = transposed_a && n >= kPanelsWorthCopying * kPanelColumns<T>;
  if (copies_a_) {
    a_stride_ = SpreadStride<T>(rows_);
    a_elements_ = a_stride_ * depth_;
  }
  b_elements_ = depth_ * (keeps_panels_ ? WholeVectors<T>(n) : kPanelColumns<T>);
}

// Panel by panel of B, so that it stays in the first-level cache while A comes from the second.
template <class T>
void BlockedGemm<T>::RunPass(const Pass& pass) {
  const int64_t all_vectors = CeilDiv(pass.n, kLanes<T>);
  const int64_t panels = CeilDiv(all_vectors, kMaxVectors);
  BlockOperands<T> o{};
  o.row_step = pass.a.transposed ? 1 : pass.a.stride;
  o.k_step = pass.a.transposed ? pass.a.stride : 1;
  o.depth = pass.depth;
  o.c_stride = pass.c.stride;
  o.into = pass.into;
  o.packed = pass.panels;
  for (int64_t panel = 0; panel < panels; ++panel) {
    const int64_t first = panel * all_vectors / panels;
    const int vectors = static_cast<int>((panel + 1) * all_vectors / panels - first);
    const int64_t column = first * kLanes<T>;
    const int64_t columns = std::min(vectors * int64_t{kLanes<T>}, pass.n - column);
    const MatrixView<const T> b = pass.b.At(0, column);
    o.last_columns = static_cast<int>(columns - (vectors - 1) * kLanes<T>);
    if (!pass.has_panels && b.transposed) PackPanel(b, pass.depth, columns, o.packed, vectors);
    bool packed = pass.has_panels || b.transposed;
    const int64_t tiles = CeilDiv(pass.m, MaxRows(vectors));
    for (int64_t tile = 0; tile < tiles; ++tile) {
      const int64_t row = tile * pass.m / tiles;
      const int64_t rows = (tile + 1) * pass.m / tiles - row;
      o.a = pass.a.data + row * o.row_step;
      o.c = pass.c.data + row * pass.c.stride + column;
      o.b = packed ? o.packed : b.data;
      o.b_stride = packed ? vectors * kLanes<T> : b.stride;
      o.ahead = {o.a};
      if (!pass.has_panels && !b.transposed && panel + 1 < panels) {
        o.ahead = NextPanel(b.At(0, columns), pass.depth, tile, tiles);
      } else if (pass.keeps_panels && panel == 0 && !pass.a.transposed) {
        o.ahead = {o.a + rows * o.row_step, rows * o.row_step * int64_t{sizeof(T)} / pass.depth};
      }
      if (packed) {
        RunGemmBlock<T, RowsOfB::kWhole>(rows, vectors, o);
      } else {
        RunGemmBlock<T, RowsOfB::kPacking>(rows, vectors, o);
        packed = true;
      }
    }
    if (pass.keeps_panels) o.packed += pass.depth * vectors * kLanes<T>;
  }
}

template <class T>
void BlockedGemm<T>::RunBlock(int64_t rows, int64_t columns, bool first, MatrixView<const T> a, MatrixView<const T> b,
                              MatrixView<T> c, T* scratch) const {
  for (int64_t p = 0; p < k_; p += depth_) {
    const int64_t depth = std::min(depth_, k_ - p);
    MatrixView<const T> part = a.At(0, p);
    if (copies_a_) {
      CopyRows(part, depth, rows, scratch, a_stride_);
      part = {scratch, a_stride_, true};
    }
    const IntoC into = into_ == GemmInto::kAdd ? IntoC::kAdd : p > 0 ? IntoC::kContinue : IntoC::kStore;
    T* const panels = scratch + a_elements_;
    RunPass({rows, depth, columns, part, b.At(p, 0), c, into, panels, keeps_panels_, keeps_panels_ && !first});
  }
}

template <class T>
void BlockedGemm<T>::Run(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, T* scratch) const {
  if (swapped_) return RunSwapped(a, b, c, scratch);
  for (int64_t column = 0; column < n_; column += columns_) {
    for (int64_t row = 0; row < m_; row += rows_) {
      RunBlock(std::min(rows_, m_ - row), std::min(columns_, n_ - column), row == 0, a.At(row, 0), b.At(0, column),
               c.At(row, column), scratch);
    }
  }
}

// Some rows of C^T at a time are computed in scratch memory and transposed to their place.
template <class T>
void BlockedGemm<T>::RunSwapped(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, T* scratch) const {
  T* const block = scratch + b_elements_;
  const int64_t stride = WholeVectors<T>(n_);
  for (int64_t row = 0; row < m_; row += rows_) {
    const int64_t rows = std::min(rows_, m_ - row);
    const MatrixView<const T> rows_of_b{b.data + row * b.stride, b.stride, false};
    RunPass({rows,
             k_,
             n_,
             rows_of_b,
             {a.data, a.stride, !a.transposed},
             {block, stride, false},
             IntoC::kStore,
             scratch,
             true,
             row > 0});
    for (int64_t i = 0; i < rows; i += kLanes<T>) {
      for (int64_t j = 0; j < n_; j += kLanes<T>) {
        TransposeTile(block + i * stride + j, stride, static_cast<int>(std::min<int64_t>(kLanes<T>, rows - i)),
                      static_cast<int>(std::min<int64_t>(kLanes<T>, n_ - j)), c.data + j * c.stride + row + i,
                      c.stride);
      }
    }
  }
}

template class BlockedGemm<float>;
template class BlockedGemm<double>;
template class BlockedGemm<int32_t>;
template class BlockedGemm<int64_t>;

}  // namespace dfrun
