// Packers of a product's operands that work while other parts of them are multiplied, a chunk at a time: memory is
// waited for while the units that multiply are busy, and what is multiplied lies in order in the second-level cache.
//
// What is prefetched must be used soon: rows that lie a multiple of 4 KiB apart share a few sets of the caches.
#ifndef DFRUN_KERNELS_GEMM_PACKERS_H_
#define DFRUN_KERNELS_GEMM_PACKERS_H_

#include <algorithm>
#include <cstdint>

#include "kernels/gemm/matrix_view.h"
#include "kernels/gemm/pack.h"
#include "kernels/gemm/tuning.h"
#include "src/base/integers.h"

namespace dfrun {

// Steps over k from one turn of the copies to the next.
template <class T>
inline constexpr int kTurnDepth = kLanes<T>;

// The rows of an operand's memory, where no stride leads from each to the next: the addresses of their first elements.
// Those of rows to come are looked at: so many entries more, of any rows, follow the last.
template <class T>
using RowTable = const T* const*;
template <class T>
inline constexpr int64_t kRowsBeyond = 4 * kTurnDepth<T>;

// Chunks that are spread evenly over turns.
class PackingPace {
 public:
  PackingPace() = default;
  PackingPace(int64_t chunks, int64_t turns)
      : interval_(static_cast<int>(std::max<int64_t>(1, turns / std::max<int64_t>(1, chunks)))),
        at_once_(static_cast<int>((chunks + turns - 1) / turns)) {}
  // The number of chunks that are due in this turn.
  [[gnu::always_inline]] int NextTurn() {
    if (--until_copy_ > 0) return 0;
    until_copy_ = interval_;
    return at_once_;
  }
  int at_once() const { return at_once_; }

 private:
  int interval_ = 1;
  int at_once_ = 1;
  int until_copy_ = 1;
};

// A panel of B: to[p * width + j] = from(p, j). Lanes beyond the last column are anything.
template <class T>
class PanelPacker {
 public:
  PanelPacker() = default;
  // width: whole vectors.
  PanelPacker(MatrixView<const T> from, int64_t depth, int64_t columns, T* to, int64_t width)
      : from_(from.data),
        stride_(from.stride),
        squares_of_(from.transposed ? depth : 0),
        to_(to),
        width_(width),
        rows_(from.transposed ? 0 : depth),
        columns_(columns) {}
  PanelPacker(RowTable<T> from, int64_t column, int64_t depth, int64_t columns, T* to, int64_t width)
      : table_(from), column_(column), to_(to), width_(width), rows_(depth), columns_(columns) {}

  // Spreads the packing over so many tiles of A, of so many turns each.
  void SpreadOver(int64_t tiles, int64_t turns) {
    if (squares_of_ > 0) {
      squares_a_tile_ =
          CeilDiv(CeilDiv<int64_t>(squares_of_, kLanes<T>) * CeilDiv<int64_t>(columns_, kLanes<T>), tiles);
      return;
    }
    pace_ = PackingPace(rows_, tiles * turns);
    rows_ahead_ = std::min<int64_t>(kRowsAhead * pace_.at_once(), kMaxRowsAhead);
  }
  [[gnu::always_inline]] void TakeTurn() {
    if (rows_ == 0) return;
    for (int due = pace_.NextTurn(); due > 0 && rows_ > 0; --due) CopyRow();
  }
  // Packs the squares that are due. It is called before each tile, since squares take the registers that a tile's sums
  // are in.
  void TakeTile() {
    for (int64_t due = squares_a_tile_; due > 0 && squares_of_ > 0; --due) CopySquare();
  }
  void Finish() {
    while (rows_ > 0) CopyRow();
    while (squares_of_ > 0) CopySquare();
  }

 private:
  // The distance of prefetching in rows. 4 are faster than 2 and 8 in products of 1024^3 and 2048^3.
  static constexpr int64_t kRowsAhead = 4;
  static constexpr int64_t kMaxRowsAhead = 8;
  static constexpr int64_t kSquaresAhead = 2;  // down the panel

  // The next of the squares of a vector's lanes, one panel's row of squares after the other. Those to come are in the
  // lines of these rows.
  void CopySquare() {
    constexpr int64_t kSide = kLanes<T>;
    const int rows = static_cast<int>(std::min(kSide, columns_ - square_ * kSide));
    const int depth = static_cast<int>(std::min(kSide, squares_of_));
    const T* const from = from_ + square_ * kSide * stride_;
    T* const to = to_ + square_ * kSide;
    for (int j = 0; j < rows; ++j) __builtin_prefetch(from + j * stride_ + kSquaresAhead * kSide, 0, 2);
    if (rows == kSide && depth == kSide) {
      internal::PackSquare(from, stride_, static_cast<int>(kSide), static_cast<int>(kSide), to, width_);
    } else {
      internal::PackSquare(from, stride_, rows, depth, to, width_);
    }
    if (++square_ * kSide < columns_) return;
    square_ = 0;
    from_ += kSide;
    to_ += kSide * width_;
    squares_of_ -= kSide;
  }

  [[gnu::always_inline]] void CopyRow() {
    const T* from = from_;
    const T* ahead = from_ + rows_ahead_ * stride_;
    if (table_ != nullptr) {
      from = *table_ + column_;
      ahead = table_[rows_ahead_] + column_;
      ++table_;
    }
    T* to = to_;
    int64_t left = columns_;
#pragma GCC unroll 1
    for (; left > kLanes<T>; left -= kLanes<T>) {
      __builtin_prefetch(ahead);
      Store<T>(to, Load(from));
      from += kLanes<T>;
      ahead += kLanes<T>;
      to += kLanes<T>;
    }
    __builtin_prefetch(ahead);
    __builtin_prefetch(ahead + left - 1);  // another line, where rows begin within one
    Store<T>(to, LoadFirst(from, static_cast<int>(left)));
    from_ += stride_;
    to_ += width_;
    --rows_;
  }

  static_assert(kMaxRowsAhead <= kRowsBeyond<T>);

  const T* from_ = nullptr;
  int64_t stride_ = 0;
  RowTable<T> table_ = nullptr;  // rows that are left; null: they are a stride apart
  int64_t column_ = 0;           // first element that is copied of each row of the table
  // The state of a transpose: what is left of the rows of squares, the next square of the first, and the number of
  // squares due at once.
  int64_t squares_of_ = 0;
  int64_t square_ = 0;
  int64_t squares_a_tile_ = 0;
  T* to_ = nullptr;
  int64_t width_ = 0;
  int64_t rows_ = 0;  // rows left
  int64_t columns_ = 0;
  int64_t rows_ahead_ = kMaxRowsAhead;
  PackingPace pace_;
};

// Rows of A, at most kBlockRows, in the order that PackedUkernel() reads: kTurnDepth elements of each row and then the
// next of each; of a transpose, kBlockRows elements of each of its rows.
template <class T>
class TilePacker {
 public:
  TilePacker() = default;
  TilePacker(MatrixView<const T> from, int64_t rows, int64_t depth, T* to)
      : from_(from),
        to_(to),
        rows_(rows),
        left_(depth),
        to_next_rows_(from.transposed ? rows - depth * from.stride : rows * from.stride - depth) {}
  // A packer of rows that lie anywhere and that SetRow() names.
  TilePacker(int64_t rows, int64_t depth, T* to) : is_scattered_(true), to_(to), rows_(rows), left_(depth) {}
  void SetRow(int64_t i, const T* first) { scattered_[i] = first; }
  // A packer of a transpose whose rows lie anywhere.
  TilePacker(RowTable<T> from, int64_t row, int64_t rows, int64_t depth, T* to)
      : from_{nullptr, 0, true}, table_(from), row_(row), to_(to), rows_(rows), left_(depth) {}

  // The size of a copy, with what is written beyond it.
  static int64_t Elements(int64_t depth) {
    return (depth + kTurnDepth<T> - 1) / kTurnDepth<T> * kTurnDepth<T> * kBlockRows + kLanes<T>;
  }

  void SpreadOver(int64_t turns) { pace_ = PackingPace((left_ + kTurnDepth<T> - 1) / kTurnDepth<T>, turns); }
  [[gnu::always_inline]] void TakeTurn() {
    if (left_ <= 0) return;
    for (int due = pace_.NextTurn(); due > 0 && left_ > 0; --due) CopyChunk();
  }
  void Finish() {
    while (left_ > 0) CopyChunk();
  }

 private:
  static constexpr int64_t kDepthAhead = 4 * kTurnDepth<T>;
  static constexpr int64_t kStoresAhead = 2 * kBlockRows * kTurnDepth<T>;

  [[gnu::always_inline]] void CopyChunk() {
    if (from_.transposed) {
      CopyColumns();
    } else if (is_scattered_) {
      CopyScatteredRows();
    } else {
      CopyRows();
    }
    to_ += kBlockRows * kTurnDepth<T>;
    left_ -= kTurnDepth<T>;
  }

  [[gnu::always_inline]] void CopyRows() {
    const T* from = from_.data;
    T* to = to_;
    // The next rows are prefetched before the end, since they are likely to be copied next.
    const int64_t ahead = kDepthAhead + (left_ > kDepthAhead ? 0 : to_next_rows_);
#pragma GCC unroll 1
    for (int64_t i = rows_; i > 0; --i) {
      __builtin_prefetch(from + ahead);
      __builtin_prefetch(to + kStoresAhead, 1);
      Store<T>(to, left_ >= kTurnDepth<T> ? Load(from) : LoadFirst(from, static_cast<int>(left_)));
      from += from_.stride;
      to += kTurnDepth<T>;
    }
    from_.data += kTurnDepth<T>;
  }

  [[gnu::always_inline]] void CopyScatteredRows() {
    T* to = to_;
#pragma GCC unroll 1
    for (int64_t i = 0; i < rows_; ++i) {
      const T* const from = scattered_[i];
      __builtin_prefetch(from + kDepthAhead);
      __builtin_prefetch(to + kStoresAhead, 1);
      Store<T>(to, left_ >= kTurnDepth<T> ? Load(from) : LoadFirst(from, static_cast<int>(left_)));
      scattered_[i] = from + kTurnDepth<T>;
      to += kTurnDepth<T>;
    }
  }

  // Each row writes over what the one before wrote too much. Rows are asked for in the second-level cache: in the
  // first, those that lie a multiple of 2 KiB apart are gone before they are copied.
  [[gnu::always_inline]] void CopyColumns() {
    constexpr int64_t kVectors = (kBlockRows + kLanes<T> - 1) / kLanes<T>;
    T* to = to_;
    const T* from = from_.data;
    const int64_t stride = from_.stride;
    RowTable<T> table = table_;
    int last = static_cast<int>(rows_);  // lanes of a row's last vector
    int64_t whole = 0;
    for (; last > kLanes<T>; last -= kLanes<T>) ++whole;
    // The next columns are prefetched before the end, since they are likely to be copied next.
    const int64_t to_ahead = kDepthAhead * stride + rows_ - 1 + (left_ > kDepthAhead ? 0 : to_next_rows_);
#pragma GCC unroll 1
    for (int64_t p = std::min<int64_t>(kTurnDepth<T>, left_); p > 0; --p) {
      const T* ahead = from + to_ahead;
      if (table != nullptr) {
        from = *table + row_;
        ahead = table[kDepthAhead] + row_ + rows_ - 1;
        ++table;
      }
      __builtin_prefetch(ahead, 0, 2);  // the tile before has asked for the line that this begins in
#pragma GCC unroll 2
      for (int64_t i = 0; i < kVectors; ++i) {
        if (i < whole) Store<T>(to + i * kLanes<T>, Load(from + i * kLanes<T>));
        if (i == whole) Store<T>(to + i * kLanes<T>, LoadFirst(from + i * kLanes<T>, last));
      }
      from += stride;
      to += kBlockRows;
    }
    from_.data = from;
    table_ = table;
  }

  static_assert(kDepthAhead <= kRowsBeyond<T>);

  MatrixView<const T> from_{};   // rest of the source
  RowTable<T> table_ = nullptr;  // rows left, where they lie anywhere
  int64_t row_ = 0;              // first row of A; a column of the table's rows
  bool is_scattered_ = false;
  const T* scattered_[kBlockRows];  // rest of each row
  T* to_ = nullptr;
  int64_t rows_ = 0;
  int64_t left_ = 0;  // depth left; none or less: all is copied
  int64_t to_next_rows_ = 0;
  PackingPace pace_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_PACKERS_H_
