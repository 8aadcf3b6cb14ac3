#include "kernels/matrix/block_sparse_gemm.h"

#include "kernels/matrix/block_sparse_kernel.h"
#include "kernels/matrix/column_panels.h"
#include "kernels/matrix/gemm.h"
#include "kernels/matrix/packed_walk.h"

namespace dfrun {
namespace {

// With less, filling the tiles costs more than it saves.
constexpr int64_t kLeastRows = 64;
constexpr int64_t kLeastColumns = 128;
constexpr int64_t kLeastDepth = 64;
constexpr int64_t kLeastWork = int64_t{1} << 24;
// Of A's elements where it is looked at, that have to be zero; and the most that a tile may keep of its columns.
constexpr double kLeastZeros = 0.25;
constexpr double kMostKept = 0.85;

}  // namespace

template <class T>
BlockSparseGemm<T>::BlockSparseGemm(int64_t m, int64_t k, int64_t n, bool transposed_a, bool transposed_b,
                                    const GemmOutput<T>& output)
    : output_(output),
      m_(m),
      k_(k),
      n_(n),
      depth_(RoundUp<int64_t>(PackedDepth(output.into, k), kLanes<T>)),
      rows_(CachedRows<T>(m, depth_, kSparseTileRows)),
      panel_elements_(depth_ * kSparseVectors * kLanes<T>),
      tiles_(rows_, depth_, transposed_a) {
  is_worth_trying_ = m >= kLeastRows && k >= kLeastDepth && n >= kLeastColumns &&
                     GemmShape{m, k, n}.work() >= kLeastWork && depth_ <= BlockSparseTiles<T>::kMostDepth &&
                     // whole squares of a transpose are copied
                     (!transposed_b || (n % kLanes<T> == 0 && k % kLanes<T> == 0));
}

// Looks at a vector in each of some places.
template <class T>
bool BlockSparseGemm<T>::HasManyZeros(MatrixView<const T> a) const {
  constexpr int64_t kPlaces = 32;
  const int64_t rows = a.transposed ? k_ : m_;
  const int64_t columns = (a.transposed ? m_ : k_) - kLanes<T>;
  int64_t zeros = 0;
  for (int64_t i = 0; i < kPlaces; ++i) {
    const int64_t column = i * 5 % kPlaces * columns / kPlaces;
    const Vec<T> v = Load(a.data + i * rows / kPlaces * a.stride + column);
    zeros += kLanes<T> - std::popcount(internal::NonzeroLanes<T>(v));
  }
  return static_cast<double>(zeros) >= kLeastZeros * kPlaces * kLanes<T>;
}

// One Run(): some rows of A over some of k at a time, multiplied by panel after panel of B. Beside each the next is
// copied, which may be the first of the next part.
template <class T>
class BlockSparseGemm<T>::Walk {
 public:
  Walk(const BlockSparseGemm& gemm, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, T* scratch)
      : g_(gemm),
        a_(a),
        b_(b),
        c_(c),
        packed_b_{scratch, scratch + gemm.panel_elements_},
        tiles_(gemm.tiles_),
        panels_(gemm.n_, kSparseVectors),
        passes_(CeilDiv(gemm.k_, gemm.depth_)),
        parts_(CeilDiv(gemm.m_, gemm.rows_) * passes_) {
    tiles_.UseScratch(scratch + 2 * gemm.panel_elements_);
    o_.into = gemm.output_.into;
    o_.rate = gemm.output_.rate;
    o_.copy = &copy_;
  }

  bool Run() {
    FillTiles(0);
    const auto columns = static_cast<double>(tiles_.count() * PartAt(0).depth.size);
    if (static_cast<double>(tiles_.all_kept()) > kMostKept * columns) return false;
    StartCopy(0, 0);
    for (int64_t part = 0; part < parts_; ++part) {
      if (part > 0) FillTiles(part);
      for (int64_t panel = 0; panel < panels_.count(); ++panel) RunPanel(part, panel);
    }
    return true;
  }

 private:
  struct Part {
    Range rows;
    Range depth;
  };

  Part PartAt(int64_t i) const {
    const int64_t row = i / passes_ * g_.rows_;
    const int64_t p = i % passes_ * g_.depth_;
    return {{row, std::min(g_.rows_, g_.m_ - row)}, {p, std::min(g_.depth_, g_.k_ - p)}};
  }

  void FillTiles(int64_t part) {
    const auto [rows, depth] = PartAt(part);
    // The features are those of rows that follow each other.
    tiles_.Fill(a_.At(rows.begin, depth.begin), rows.size, depth.size, g_.output_.features.data == nullptr);
  }

  // Of the panel after the last of the last part: none.
  void StartCopy(int64_t part, int64_t panel) {
    if (panel == panels_.count()) {
      panel = 0;
      ++part;
    }
    copy_ = {};
    if (part == parts_) return;
    const Range depth = PartAt(part).depth;
    const ColumnPanel next = panels_.At(panel);
    copy_ = {b_.At(depth.begin, next.column), depth.size, next.columns, packed_b_[1 - now_],
             int64_t{next.vectors} * kLanes<T>};
    copy_.SpreadOver(tiles_.count(), std::max<int64_t>(1, tiles_.all_kept() / tiles_.count() / kTurnDepth<T>));
  }

  void RunPanel(int64_t part_number, int64_t panel_number) {
    const Part part = PartAt(part_number);
    const ColumnPanel panel = panels_.At(panel_number);
    copy_.Finish();
    now_ = 1 - now_;
    o_.b = packed_b_[now_];
    o_.b_is_finite = copy_.is_finite();
    o_.depth = part.depth.size;
    o_.last_columns = LastColumns<T>(panel);
    o_.continues = part.depth.begin > 0;
    const bool is_whole = part.depth.end() == g_.k_;
    StartCopy(part_number, panel_number + 1);
    RowsOfC(part, 0, panel.column, next_rows_);
    for (int64_t i = 0; i < tiles_.count(); ++i) {
      const bool is_last = i + 1 == tiles_.count();
      std::swap(rows_of_c_, next_rows_);
      if (!is_last) RowsOfC(part, i + 1, panel.column, next_rows_);
      o_.a = tiles_.At(i);
      o_.c = rows_of_c_;
      o_.next_c = next_rows_;
      o_.next_rows = is_last ? 0 : tiles_.At(i + 1).row_count;
      o_.finish = is_whole ? g_.output_.OfBlock(part.rows.begin + o_.a.numbers[0], panel.column) : BlockFinish<T>{};
      copy_.TakeTile();
      RunBlockSparseBlock(panel.vectors, o_);
    }
  }

  void RowsOfC(const Part& part, int64_t tile, int64_t column, T** to) const {
    const auto rows = tiles_.At(tile);
    for (int64_t i = 0; i < rows.row_count; ++i) to[i] = c_.At(part.rows.begin + rows.numbers[i], column).data;
  }

  const BlockSparseGemm& g_;
  const MatrixView<const T> a_;
  const MatrixView<const T> b_;
  const MatrixView<T> c_;
  T* const packed_b_[2];
  int now_ = 1;  // of those, that is multiplied
  BlockSparseTiles<T> tiles_;
  const ColumnPanels<T> panels_;
  const int64_t passes_;
  const int64_t parts_;
  BlockSparseOperands<T> o_{};
  PanelCopy<T, true> copy_;
  T* rows_[2][kSparseTileRows] = {};
  T** rows_of_c_ = rows_[0];
  T** next_rows_ = rows_[1];
};

template <class T>
bool BlockSparseGemm<T>::Run(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, T* scratch) const {
  return HasManyZeros(a) && Walk(*this, a, b, c, scratch).Run();
}

template class BlockSparseGemm<float>;
template class BlockSparseGemm<double>;

}  // namespace dfrun
