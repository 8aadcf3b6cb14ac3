// The passes over rows that softmax and its losses share. Each pass walks all rows of a block, so that the exponentials
// run over one stretch of memory, vectorised, however short a row is. C is the type that elements are computed in.
#ifndef DFRUN_KERNELS_NN_SOFTMAX_H_
#define DFRUN_KERNELS_NN_SOFTMAX_H_

#include <algorithm>
#include <vector>

#include "kernels/math/elementary.h"
#include "src/base/threads.h"

namespace dfrun::softmax {

// Elements in a block: about 10 us of exponentials. Rows in a block: so few that a value a row fits on the stack.
constexpr int64_t kBlock = 16384;
constexpr int64_t kMaxRows = 256;

inline int64_t RowsInBlock(int64_t columns) {
  return std::clamp<int64_t>(kBlock / std::max<int64_t>(1, columns), 1, kMaxRows);
}

template <class C>
C RowMax(const C* row, int64_t columns) {
  C largest = row[0];
  for (int64_t j = 1; j < columns; ++j) largest = row[j] > largest ? row[j] : largest;
  return largest;
}

template <class C>
C RowSum(const C* row, int64_t columns) {
  C sum = 0;
  for (int64_t j = 0; j < columns; ++j) sum += row[j];
  return sum;
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

template <class C>
void Exponentials(const C* x, C* y, int64_t n) {
  DF_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < n; ++i) y[i] = fn::Exp()(x[i]);
}

template <class C>
void ScaleRow(C* row, int64_t columns, C factor) {
  for (int64_t j = 0; j < columns; ++j) row[j] *= factor;
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

// Where results are computed before they are rounded to T: their own place, or a wider one.
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

#endif  // DFRUN_KERNELS_NN_SOFTMAX_H_
