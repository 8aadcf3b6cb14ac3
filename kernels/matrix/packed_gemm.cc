#include "kernels/matrix/packed_gemm.h"

#include <unistd.h>

#include <algorithm>

#include "kernels/matrix/packed_block.h"
#include "src/base/integers.h"

namespace dfrun {
namespace {

template <class T>
constexpr int64_t kPanelColumns = int64_t{kMaxVectors} * kLanes<T>;
// What A's rows may take of the second-level cache of one core; the rest is for panels of B and C.
int64_t CachedBytes() {
  constexpr int64_t kLeast = int64_t{1} << 19;
  static const int64_t bytes = std::clamp<int64_t>(sysconf(_SC_LEVEL2_CACHE_SIZE) / 8 * 5, kLeast, 4 * kLeast);
  return bytes;
}
// Longest pass over k where C is stored, which the next pass reads again; what changes C is one pass.
constexpr int64_t kMaxDepth = 768;
// Below these the copies cost more than they save.
constexpr int64_t kLeastRows = 64;
constexpr int64_t kLeastColumns = 240;
constexpr int64_t kLeastWork = int64_t{1} << 26;

struct Range {
  int64_t end() const { return begin + size; }
  int64_t begin;
  int64_t size;
};

// `total` in `count` ranges as even as they can be. Costs no division a range.
class EvenRanges {
 public:
  EvenRanges(int64_t total, int64_t count) : count_(count), least_(total / count), first_long_(count - total % count) {}
  int64_t count() const { return count_; }
  Range At(int64_t i) const {
    return {i * least_ + std::max<int64_t>(0, i - first_long_), least_ + (i >= first_long_ ? 1 : 0)};
  }

 private:
  int64_t count_;
  int64_t least_;
  int64_t first_long_;
};

}  // namespace

// One Run(), part by part: some rows of A over some of k. While a panel of B is multiplied by a part, the next panel is
// copied; the tiles of a part are copied beside its first panel, each while the one before is multiplied.
template <class T>
class PackedGemm<T>::Walk {
 public:
  // Of an operand as a view, or of its rows one by one from `column` on.
  struct Operand {
    MatrixView<const T> view;
    RowTable<T> rows = nullptr;
    int64_t column = 0;
  };

  Walk(const PackedGemm& gemm, const Operand& a, const Operand& b, MatrixView<T> c, T* scratch)
      : g_(gemm), a_(a), b_(b), c_(c), packed_b_(scratch), packed_a_(scratch + gemm.b_elements_) {
    o_.transposed_a = a.view.transposed;
    o_.c_stride = c.stride;
    o_.into = gemm.output_.into;
    o_.rate = gemm.output_.rate;
    o_.beside = &beside_;
    if (gemm.segment_ > 0) o_.totals = totals_;
    o_.segment_turns = gemm.segment_ / kTurnDepth<T>;
  }

  void Run() {
    Part part = PartAt(0, 0);
    const Panel panel = PanelAt(0);
    // Nothing can be computed beside these.
    CopyOfPanel(part, panel, next_b_).Finish();
    CopyOfTile(part, 0, packed_a_).Finish();
    while (part.rows.size > 0) {
      const Part next = After(part);
      RunPart(part, next);
      part = next;
    }
  }

 private:
  // The last is followed by one without rows.
  struct Part {
    Range rows;
    Range depth;
    EvenRanges tiles;  // of the rows
    Range Tile(int64_t i) const {
      const Range tile = tiles.At(i);
      return {rows.begin + tile.begin, tile.size};
    }
    int64_t turns() const { return std::max<int64_t>(1, depth.size / kTurnDepth<T>); }  // of a tile
  };
  struct Panel {
    Range columns;
    int vectors;
    int last_columns() const { return static_cast<int>(columns.size - (vectors - 1) * kLanes<T>); }
  };

  Part PartAt(int64_t row, int64_t p) const {
    const int64_t rows = std::min(g_.rows_, g_.m_ - row);
    const EvenRanges tiles(rows, std::max<int64_t>(1, CeilDiv<int64_t>(rows, kTileRows)));
    return {{row, rows}, {p, std::min(g_.depth_, g_.k_ - p)}, tiles};
  }
  Part After(const Part& part) const {
    return part.depth.end() < g_.k_ ? PartAt(part.rows.begin, part.depth.end()) : PartAt(part.rows.end(), 0);
  }
  Panel PanelAt(int64_t i) const {
    const Range vectors = panels_.At(i);
    const int64_t column = vectors.begin * kLanes<T>;
    return {{column, std::min(vectors.size * kLanes<T>, g_.n_ - column)}, static_cast<int>(vectors.size)};
  }
  T* BlockOfC(Range rows, const Panel& panel) const { return c_.data + rows.begin * c_.stride + panel.columns.begin; }

  void RunPart(const Part& part, const Part& next) {
    const int64_t panels = panels_.count();
    for (int64_t i = 0; i < panels; ++i) {
      const bool is_last = i + 1 == panels;
      const Panel panel = PanelAt(i);
      const Panel next_panel = PanelAt(is_last ? 0 : i + 1);
      beside_.panel.Finish();
      o_.b = next_b_;
      o_.depth = part.depth.size;
      o_.last_columns = panel.last_columns();
      o_.continues = part.depth.begin > 0;
      o_.finish = {};
      StartPanelCopy(is_last ? next : part, next_panel, part.tiles.count() * part.turns());
      RunPanel(part, next, i, panel, next_panel);
    }
    beside_.tile.Finish();
    first_slot_ = Slot(part.tiles.count());
  }

  void RunPanel(const Part& part, const Part& next, int64_t i, const Panel& panel, const Panel& next_panel) {
    const int64_t tiles = part.tiles.count();
    const bool is_last = i + 1 == panels_.count();
    Range rows = part.Tile(0);
    for (int64_t tile = 0; tile < tiles; ++tile) {
      const bool is_last_tile = tile + 1 == tiles;
      if (!is_last_tile && i == 0) {
        StartTileCopy(part, tile + 1, Slot(tile + 1), part.turns());
      } else if (is_last_tile && is_last) {
        StartTileCopy(next, 0, Slot(tiles), part.turns());
      } else if (i == 0) {
        beside_.tile.Finish();
      }
      const Range next_rows = !is_last_tile ? part.Tile(tile + 1) : is_last ? next.Tile(0) : part.Tile(0);
      beside_.next_c = BlockOfC(next_rows, is_last_tile ? next_panel : panel);
      beside_.next_rows = next_rows.size;
      o_.a = TilePlace(Slot(tile));
      o_.c = BlockOfC(rows, panel);
      if (part.depth.end() == g_.k_) o_.finish = g_.output_.OfBlock(rows.begin, panel.columns.begin);
      RunPackedBlock(rows.size, panel.vectors, o_);
      rows = next_rows;
    }
  }

  PanelCopy<T> CopyOfPanel(const Part& part, const Panel& panel, T* to) const {
    const int64_t width = int64_t{panel.vectors} * kLanes<T>;
    if (b_.rows != nullptr) {
      return {
          b_.rows + part.depth.begin, b_.column + panel.columns.begin, part.depth.size, panel.columns.size, to, width};
    }
    return {b_.view.At(part.depth.begin, panel.columns.begin), part.depth.size, panel.columns.size, to, width};
  }
  void StartPanelCopy(const Part& part, const Panel& panel, int64_t turns) {
    next_b_ = packed_b_ + (next_b_ == packed_b_ ? g_.depth_ * kPanelColumns<T> : 0);
    if (part.rows.size == 0) return;
    beside_.panel = CopyOfPanel(part, panel, next_b_);
    beside_.panel.SpreadOver(turns);
  }

  TileCopy<T> CopyOfTile(const Part& part, int64_t tile, T* to) const {
    const Range rows = part.Tile(tile);
    if (a_.rows != nullptr) {
      return {a_.rows + part.depth.begin, a_.column + rows.begin, rows.size, part.depth.size, to};
    }
    return {a_.view.At(rows.begin, part.depth.begin), rows.size, part.depth.size, to};
  }
  void StartTileCopy(const Part& part, int64_t tile, int64_t slot, int64_t turns) {
    beside_.tile.Finish();
    if (part.rows.size == 0) return;
    beside_.tile = CopyOfTile(part, tile, TilePlace(slot));
    beside_.tile.SpreadOver(turns);
  }
  int64_t Slot(int64_t tile) const {
    const int64_t slot = first_slot_ + tile;
    return slot < g_.slots_ ? slot : slot - g_.slots_;
  }
  T* TilePlace(int64_t slot) const { return packed_a_ + slot * g_.slot_elements_; }

  const PackedGemm& g_;
  const Operand a_;
  const Operand b_;
  const MatrixView<T> c_;
  const EvenRanges panels_{CeilDiv<int64_t>(g_.n_, kLanes<T>),
                           CeilDiv<int64_t>(g_.n_, kPanelColumns<T>)};  // in vectors
  T* const packed_b_;
  T* const packed_a_;
  T* next_b_ = packed_b_;   // where the next panel is, or is copied to
  int64_t first_slot_ = 0;  // of this part's tiles
  PackedOperands<T> o_{};
  alignas(64) T totals_[kTileRows * kPanelColumns<T>];
  BesideBlock<T> beside_;
};

bool PrefersPackedGemm(int64_t m, int64_t k, int64_t n) {
  int64_t work = 0;
  const bool is_large = __builtin_mul_overflow(m * k, n, &work) || work >= kLeastWork;
  return is_large && m >= kLeastRows && n >= kLeastColumns;
}

template <class T>
PackedGemm<T>::PackedGemm(int64_t m, int64_t k, int64_t n, const GemmOutput<T>& output, int64_t segment)
    : output_(output), m_(m), k_(k), n_(n), segment_(segment) {
  depth_ = output.into == GemmInto::kStore ? CeilDiv(k, CeilDiv<int64_t>(k, kMaxDepth)) : k;
  if (segment > 0) depth_ = RoundUp(depth_, segment);
  const int64_t cached_rows = std::max<int64_t>(CachedBytes() / static_cast<int64_t>(sizeof(T)) / depth_, kTileRows);
  rows_ = CeilDiv(m, CeilDiv(m, cached_rows));
  slots_ = CeilDiv<int64_t>(rows_, kTileRows) + 1;
  slot_elements_ = TileCopy<T>::Elements(depth_);
  a_elements_ = slots_ * slot_elements_;
  b_elements_ = 2 * depth_ * kPanelColumns<T>;
}

template <class T>
void PackedGemm<T>::Run(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, T* scratch) const {
  Walk(*this, {a}, {b}, c, scratch).Run();
}

template <class T>
void PackedGemm<T>::Run(RowTable<T> a, int64_t a_column, RowTable<T> b, int64_t b_column, MatrixView<T> c,
                        T* scratch) const {
  Walk(*this, {{nullptr, 0, true}, a, a_column}, {{}, b, b_column}, c, scratch).Run();
}

template class PackedGemm<float>;
template class PackedGemm<double>;

}  // namespace dfrun
