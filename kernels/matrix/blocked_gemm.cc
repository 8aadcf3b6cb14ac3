#include "kernels/matrix/blocked_gemm.h"

#include <unistd.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "kernels/matrix/column_panels.h"
#include "kernels/matrix/direct_gemm.h"
#include "kernels/matrix/packed_gemm.h"
#include "kernels/matrix/panel_pack.h"
#include "src/base/integers.h"

namespace dfrun {
namespace {

template <class T>
constexpr int64_t kPanelColumns = int64_t{kMaxVectors} * kLanes<T>;
// What may be counted on to stay in the second-level cache of one core. Larger blocks of A are begun less often: of
// 2 MiB, 1.5 give 5% more than 1 in products of 2048^3.
int64_t CachedBytes() {
  constexpr int64_t kLeast = int64_t{1} << 20;
  static const int64_t bytes = std::clamp<int64_t>(sysconf(_SC_LEVEL2_CACHE_SIZE) / 4 * 3, kLeast, 2 * kLeast);
  return bytes;
}
// Operands that take no more stay in the second-level cache beside each other and C: those of 256^3 where it has 2 MiB.
int64_t SmallBytes() {
  static const int64_t bytes = sysconf(_SC_LEVEL2_CACHE_SIZE) / 4;
  return bytes;
}
// Of no more steps over k DirectGemm is the fastest: 64 take 0.87 to 1.05 of the time of the other ways, 32 0.8
// to 1.07, 16 0.65 to 0.9. It takes some rows of A at a time, which stay in the second-level cache with theirs of C.
constexpr int64_t kShallowDepth = 64;
constexpr int64_t kRowsAtHand = 256;
// Longest pass over k; C is read again by the next.
constexpr int64_t kMaxDepth = 1024;
// Few rows of A do not hide what copying B costs: a panel and its copy then stay in the first-level cache. Panels of
// 128 rows instead of 1024 are 1.3 times as fast with 16 rows of A.
constexpr int64_t kFewRows = 32;
constexpr int64_t kFewRowsDepth = 128;
// Columns of a C that would not stay in the cache between passes.
constexpr int64_t kColumnsAPass = 512;
// Elements of a transposed B that are put in order before they are multiplied: by half of the rows of A that the cache
// has room for at a time, since the panels come through it too.
constexpr int64_t kKeptElements = int64_t{1} << 20;
// Rows of C^T that are computed before they are transposed: whole vectors of C's columns.
constexpr int64_t kSwappedRows = 112;
// Rows of a C larger than the cache: they are written whole, in order.
constexpr int64_t kRowsAtATime = 2 * int64_t{MaxRows(kMaxVectors)};
// Rows of A that are too few to fill the vectors of C^T, so that a transposed B is read square by square.
constexpr int64_t kRowsBySquares = 4;
// Panels of B that pay for a copy of A.
constexpr int64_t kPanelsWorthCopying = 3;

template <class T>
constexpr int64_t WholeVectors(int64_t count) {
  return RoundUp<int64_t>(count, kLanes<T>);
}

// A number of elements that rows may be apart without meeting in a few sets of the caches.
template <class T>
constexpr int64_t SpreadStride(int64_t count) {
  const int64_t vectors = CeilDiv<int64_t>(count, kLanes<T>);
  return (vectors + 1 - vectors % 2) * kLanes<T>;
}

// The rows of `from`'s memory, `stride` apart.
template <class T>
void CopyRows(MatrixView<const T> from, int64_t rows, int64_t columns, T* to, int64_t stride) {
  for (int64_t i = 0; i < rows; ++i) std::copy_n(from.data + i * from.stride, columns, to + i * stride);
}

// What the products of `tiles` tiles by one panel copy of the next.
template <class T>
RowCopy<T> CopyOf(MatrixView<const T> b, int64_t depth, const ColumnPanel& next, T* packed, int64_t tiles) {
  const int interval = static_cast<int>(std::max<int64_t>(1, tiles / kStepsAtATime<T>));
  const int at_once = static_cast<int>(CeilDiv<int64_t>(kStepsAtATime<T>, std::min<int64_t>(tiles, kStepsAtATime<T>)));
  return {b.At(0, next.column).data, b.stride, packed, depth, next.vectors, LastColumns<T>(next), interval, at_once};
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
  bool continues;  // C is the sum of an earlier pass
  GemmOutput<T> output;
  T* panels;
  bool keeps_panels;  // all of them, for rows to come; else each takes the place of the one before
  bool has_panels;    // rows before left them
};

template <class T>
BlockedGemm<T>::BlockedGemm(int64_t m, int64_t k, int64_t n, bool transposed_a, bool transposed_b,
                            const GemmOutput<T>& output)
    : output_(output), m_(m), k_(k), n_(n), columns_(n) {
  constexpr bool kIsFloating = std::is_floating_point_v<T>;
  const bool changes = output.into != GemmInto::kStore;
  if constexpr (kIsFloating) {
    const BlockSparseGemm<T> sparse(m, k, n, transposed_a, transposed_b, output);
    if (sparse.is_worth_trying()) sparse_ = sparse;
  }
  // A copy that is read once is none the faster; of a transpose one that stays in the first-level cache is.
  direct_ = (kIsFloating && !transposed_b && k <= kShallowDepth) ||
            (!changes && m <= (transposed_b ? kRowsBySquares : MaxRows(kMaxVectors)));
  if (direct_) return;
  if constexpr (kIsFloating) {
    packed_ = !transposed_b && PrefersPackedGemm(m, k, n);
    if (packed_) {
      a_elements_ = PackedGemm<T>(m, k, n, output).scratch_elements();
      return;
    }
  }
  const int64_t cached = CachedBytes() / static_cast<int64_t>(sizeof(T));
  small_ = kIsFloating && !transposed_b && k <= kDirectDepth &&
           (m + n) * k * static_cast<int64_t>(sizeof(T)) <= SmallBytes();
  // In multiplications: transposing an element of B costs 10, so does one of A, one of C 20.
  swapped_ = !changes && transposed_b && k * m <= cached && 2 * m * n + (transposed_a ? 0 : m * k) < n * k;
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
  const int64_t max_depth = m <= kFewRows && !transposed_b ? kFewRowsDepth : kMaxDepth;
  depth_ = changes ? k : CeilDiv(k, CeilDiv(k, max_depth));
  keeps_panels_ = depth_ == k && k * n <= cached && m * n >= cached / 2;
  int64_t cached_rows = std::max<int64_t>(cached / depth_, kLanes<T>);
  if (depth_ < k && m * n > cached / 2) {
    columns_ = WholeVectors<T>(CeilDiv(n, CeilDiv<int64_t>(n, kColumnsAPass)));
    cached_rows = std::min(cached_rows, std::max<int64_t>(cached / 2 / columns_, kLanes<T>));
  }
  rows_ = keeps_panels_ ? kRowsAtATime : CeilDiv(m, CeilDiv(m, cached_rows));
  if (transposed_b && !keeps_panels_ && m > cached_rows / 2) {
    keeps_panels_ = true;
    rows_ = CeilDiv(m, CeilDiv(m, std::max<int64_t>(cached_rows / 2, kLanes<T>)));
    columns_ = std::min(columns_, RoundUp(CeilDiv(kKeptElements, k), kPanelColumns<T>));
  }
  copies_a_ = transposed_a && n >= kPanelsWorthCopying * kPanelColumns<T>;
  if (copies_a_) {
    a_stride_ = SpreadStride<T>(rows_);
    a_elements_ = a_stride_ * depth_;
  }
  b_elements_ = keeps_panels_ ? k * WholeVectors<T>(columns_) : depth_ * 2 * kPanelColumns<T>;
}

// Panel by panel of B, so that it stays in the first-level cache while A comes from the second.
template <class T>
void BlockedGemm<T>::RunPass(const Pass& pass) {
  const ColumnPanels<T> panels(pass.n);
  const auto place_of = [&](int64_t i) {
    return pass.panels + pass.depth * (pass.keeps_panels ? panels.At(i).column : i % 2 * kPanelColumns<T>);
  };
  BlockOperands<T> o{};
  o.a_stride = pass.a.stride;
  o.transposed_a = pass.a.transposed;
  o.depth = pass.depth;
  o.c_stride = pass.c.stride;
  o.continues = pass.continues;
  o.into = pass.output.into;
  o.rate = pass.output.rate;
  RowCopy<T> copy{};
  o.copy = &copy;
  for (int64_t i = 0; i < panels.count(); ++i) {
    const ColumnPanel panel = panels.At(i);
    T* const packed = place_of(i);
    const MatrixView<const T> b = pass.b.At(0, panel.column);
    const int64_t tiles = CeilDiv<int64_t>(pass.m, MaxRows(panel.vectors));
    if (!pass.has_panels && (b.transposed || i == 0)) {
      PackPanel(b, pass.depth, panel.columns, packed, panel.vectors);
    } else if (!pass.has_panels) {
      PackPanel(b.At(pass.depth - copy.rows, 0), copy.rows, panel.columns, copy.to, panel.vectors);
    }
    copy.rows = 0;
    if (!pass.has_panels && !b.transposed && i + 1 < panels.count()) {
      copy = CopyOf(pass.b, pass.depth, panels.At(i + 1), place_of(i + 1), tiles);
    }
    o.last_columns = LastColumns<T>(panel);
    o.b = packed;
    for (int64_t tile = 0; tile < tiles; ++tile) {
      const int64_t row = tile * pass.m / tiles;
      const int64_t rows = (tile + 1) * pass.m / tiles - row;
      o.a = pass.a.At(row, 0).data;
      o.c = pass.c.data + row * pass.c.stride + panel.column;
      o.finish = pass.output.OfBlock(row, panel.column);
      RunGemmBlock<T, RowsOfB::kCopying>(rows, panel.vectors, o);
    }
  }
}

template <class T>
void BlockedGemm<T>::RunBlock(int64_t rows, int64_t columns, bool first, MatrixView<const T> a, MatrixView<const T> b,
                              MatrixView<T> c, const GemmOutput<T>& output, T* scratch) const {
  for (int64_t p = 0; p < k_; p += depth_) {
    const int64_t depth = std::min(depth_, k_ - p);
    MatrixView<const T> part = a.At(0, p);
    if (copies_a_) {
      CopyRows(part, depth, rows, scratch, a_stride_);
      part = {scratch, a_stride_, true};
    }
    const GemmOutput<T> pass_output = p + depth == k_ ? output : output.Unfinished();
    T* const panels = scratch + a_elements_ + (keeps_panels_ ? p * WholeVectors<T>(columns) : 0);
    RunPass({rows, depth, columns, part, b.At(p, 0), c, p > 0, pass_output, panels, keeps_panels_,
             keeps_panels_ && !first});
  }
}

template <class T>
void BlockedGemm<T>::Run(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, T* scratch) const {
  if constexpr (std::is_floating_point_v<T>) {
    if (sparse_ && sparse_->Run(a, b, c, scratch)) return;
    if (packed_) return PackedGemm<T>(m_, k_, n_, output_).Run(a, b, c, scratch);
  }
  if (direct_ || (small_ && HasNearRows(b))) return RunDirectly(a, b, c);
  if (swapped_) return RunSwapped(a, b, c, scratch);
  for (int64_t column = 0; column < n_; column += columns_) {
    for (int64_t row = 0; row < m_; row += rows_) {
      RunBlock(std::min(rows_, m_ - row), std::min(columns_, n_ - column), row == 0, a.At(row, 0), b.At(0, column),
               c.At(row, column), output_.At(row, column), scratch);
    }
  }
}

template <class T>
void BlockedGemm<T>::RunDirectly(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) const {
  const int64_t rows_at_once = CeilDiv(m_, CeilDiv(m_, kRowsAtHand));
  for (int64_t row = 0; row < m_; row += rows_at_once) {
    DirectGemm<T>(std::min(rows_at_once, m_ - row), k_, n_, a.At(row, 0), b, c.At(row, 0), output_.At(row, 0));
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
             false,
             {},
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
    FinishInMemory(output_.At(0, row), c.At(0, row), n_, rows);
  }
}

template class BlockedGemm<float>;
template class BlockedGemm<double>;
template class BlockedGemm<int32_t>;
template class BlockedGemm<int64_t>;

}  // namespace dfrun
