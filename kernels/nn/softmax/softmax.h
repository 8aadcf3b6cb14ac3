// The passes over rows that softmax and its losses share. Each pass walks all rows of a block, so that the exponentials
// run over one stretch of memory, vectorised, however short a row is. C is the type that elements are computed in.
#ifndef DFRUN_KERNELS_NN_SOFTMAX_SOFTMAX_H_
#define DFRUN_KERNELS_NN_SOFTMAX_SOFTMAX_H_

#include <algorithm>
#include <vector>

#include "kernels/math/functions/elementary.h"
#include "src/base/stream_store.h"
#include "src/base/threads.h"

namespace dfrun::softmax {

// Elements in a block: about 10 us of exponentials. Rows in a block: so few that a value a row fits on the stack.
constexpr int64_t kBlock = 16384;
constexpr int64_t kMaxRows = 256;

inline int64_t RowsInBlock(int64_t columns) {
  return std::clamp<int64_t>(kBlock / std::max<int64_t>(1, columns), 1, kMaxRows);
}

// Reduces term(j) over [0, n) in lanes that do not wait for each other, then as a tree. The order depends on n alone.
template <class C, class Join, class Term>
C InLanes(int64_t n, C start, Join&& join, Term&& term) {
  constexpr int64_t kLanes = 32;
  int64_t j = 0;
  C all = start;
  if (n >= kLanes) {
    C lanes[kLanes];
    std::fill_n(lanes, kLanes, start);
    for (; j + kLanes <= n; j += kLanes) {
      for (int64_t l = 0; l < kLanes; ++l) lanes[l] = join(lanes[l], term(j + l));
    }
    for (int64_t half = kLanes / 2; half > 0; half /= 2) {
      for (int64_t l = 0; l < half; ++l) lanes[l] = join(lanes[l], lanes[l + half]);
    }
    all = lanes[0];
  }
  C a = start;  // in registers: what is left is short
  C b = start;
  C c = start;
  for (; j + 4 <= n; j += 4) {
    all = join(all, term(j));
    a = join(a, term(j + 1));
    b = join(b, term(j + 2));
    c = join(c, term(j + 3));
  }
  for (; j < n; ++j) all = join(all, term(j));
  return join(join(all, a), join(b, c));
}

template <class C, class Term>
C SumOf(int64_t n, Term&& term) {
  return InLanes(
      n, C(0), [](C a, C b) { return a + b; }, term);
}

// Calls passes(first row, rows) for groups of rows that several passes find in the first-level cache.
template <class Passes>
void ForGroups(int64_t rows, int64_t columns, Passes&& passes) {
  constexpr int64_t kElements = 2048;
  const int64_t group = std::max<int64_t>(1, kElements / columns);
  for (int64_t r = 0; r < rows; r += group) passes(r, std::min(group, rows - r));
}

template <class C>
C RowMax(const C* row, int64_t columns) {
  return InLanes(
      columns, row[0], [](C a, C b) { return b > a ? b : a; }, [row](int64_t j) { return row[j]; });
}

template <class C>
C RowSum(const C* row, int64_t columns) {
  return SumOf<C>(columns, [row](int64_t j) { return row[j]; });
}

// y = x - largest, the maximum of its row. In place too. Columns are at least 1.
template <class C>
void Shift(const C* x, C* y, int64_t rows, int64_t columns, C* largest) {
  for (int64_t r = 0; r < rows; ++r) {
    const C* from = x + r * columns;
    C* to = y + r * columns;
    largest[r] = RowMax(from, columns);
    DF_INDEPENDENT_ITERATIONS
    for (int64_t j = 0; j < columns; ++j) to[j] = from[j] - largest[r];
  }
}

// exp(x), where x is not positive.
template <class C>
C ExpOfShifted(C x) {
  if constexpr (std::is_same_v<C, float>) {
    return ExpOfNegative(x);
  } else {
    return fn::Exp()(x);
  }
}

template <class C>
void Exponentials(const C* x, C* y, int64_t n) {
  DF_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < n; ++i) y[i] = ExpOfShifted(x[i]);
}

// The length from which on a row is worth passes of its own.
constexpr int64_t kLongRow = 64;

// y[j] = exp(x[j] - largest); returns the sum over the row. y may be x. The row after it is prefetched.
template <class C>
C ExpRow(const C* x, C* y, int64_t columns, C largest) {
  constexpr int64_t kLanes = 64;
  C sums[kLanes] = {};
  int64_t j = 0;
  for (; j + kLanes <= columns; j += kLanes) {
    PrefetchLines(x + columns + j, kLanes * sizeof(C));
    DF_INDEPENDENT_ITERATIONS
    for (int64_t l = 0; l < kLanes; ++l) {
      const C e = ExpOfShifted(x[j + l] - largest);
      y[j + l] = e;
      sums[l] += e;
    }
  }
  for (int64_t l = 0; j < columns; ++j, ++l) sums[l] += y[j] = ExpOfShifted(x[j] - largest);
  return RowSum(sums, kLanes);
}

// y = exp(x - largest), largest and sums by row. In place too. Columns are at least 1.
template <class C>
void ExpRows(const C* x, C* y, int64_t rows, int64_t columns, C* largest, C* sums) {
  if (columns >= kLongRow) {
    for (int64_t r = 0; r < rows; ++r) {
      largest[r] = RowMax(x + r * columns, columns);
      sums[r] = ExpRow(x + r * columns, y + r * columns, columns, largest[r]);
    }
    return;
  }
  Shift(x, y, rows, columns, largest);
  Exponentials(y, y, rows * columns);
  for (int64_t r = 0; r < rows; ++r) sums[r] = RowSum(y + r * columns, columns);
}

// sums[r] = the sum of exp(x) over row r. Exponentials go to the cache, not to memory.
template <class C>
void SumExponentials(const C* x, int64_t rows, int64_t columns, C* sums) {
  constexpr int64_t kChunk = 1024;
  C chunk[kChunk];
  const int64_t group = std::max<int64_t>(1, kChunk / columns);
  for (int64_t r = 0; r < rows; r += group) {
    const int64_t count = std::min(group, rows - r);
    if (columns > kChunk) {
      sums[r] = 0;
      for (int64_t j = 0; j < columns; j += kChunk) {
        const int64_t width = std::min(kChunk, columns - j);
        Exponentials(x + r * columns + j, chunk, width);
        sums[r] += RowSum(chunk, width);
      }
      continue;
    }
    Exponentials(x + r * columns, chunk, count * columns);
    for (int64_t i = 0; i < count; ++i) sums[r + i] = RowSum(chunk + i * columns, columns);
  }
}

// Elements [0, n) as the type they are computed in: themselves, or a widened copy.
template <class T>
class Widened {
 public:
  using C = ComputeType<T>;
  Widened(const T* from, int64_t n) {
    if constexpr (std::is_same_v<C, T>) {
      data_ = from;
    } else {
      copy_.assign(from, from + n);
      data_ = copy_.data();
    }
  }
  const C* data() const { return data_; }

 private:
  std::vector<C> copy_;
  const C* data_;
};

// The memory in which results are computed before they are rounded to T: the output itself, or a wider buffer.
template <class T>
class Narrowed {
 public:
  using C = ComputeType<T>;
  Narrowed(T* to, int64_t n) : to_(to) {
    if constexpr (std::is_same_v<C, T>) {
      data_ = to;
    } else {
      wide_.resize(static_cast<size_t>(n));
      data_ = wide_.data();
    }
  }
  ~Narrowed() {
    if constexpr (!std::is_same_v<C, T>) {
      for (size_t i = 0; i < wide_.size(); ++i) to_[i] = static_cast<T>(wide_[i]);
    }
  }
  Narrowed(const Narrowed&) = delete;
  Narrowed& operator=(const Narrowed&) = delete;
  C* data() { return data_; }

 private:
  T* const to_;
  std::vector<C> wide_;
  C* data_;
};

}  // namespace dfrun::softmax

#endif  // DFRUN_KERNELS_NN_SOFTMAX_SOFTMAX_H_
