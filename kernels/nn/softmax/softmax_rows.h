// The row loops of softmax and its losses over rows of exponentials. An Op, for every type and size, is a class with:
//     // The sum of a row's exponentials is known; they may be replaced. Returns the term of its elements' results.
//     Term EndRow(int64_t row, const RowEnd<C>& end) const
//     C Result(C exponential, Term term, int64_t at) const   // element `at` of the output
#ifndef DFRUN_KERNELS_NN_SOFTMAX_SOFTMAX_ROWS_H_
#define DFRUN_KERNELS_NN_SOFTMAX_SOFTMAX_ROWS_H_

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/math/functions/scaled_exp.h"
#include "kernels/nn/softmax/softmax.h"
#include "src/framework/values/shape.h"

namespace dfrun::softmax {

// The results at the end of a row.
template <class C>
struct RowEnd {
  const C* x;  // the exponentials where they have replaced the input
  int64_t columns;
  C* exponentials;  // exponentials of x, all times the same factor
  C sum;            // sum of the exponentials

  // The sum of exp(x - RowMax(x)).
  C SumOfShifted() const { return sum / RowMax(exponentials, columns); }
};

template <class Op, class C>
using TermOf = decltype(std::declval<const Op&>().EndRow(0, std::declval<const RowEnd<C>&>()));

// The exponentials of a row of float, line by line, and their sum. The largest element is not looked for first: its
// exponential is a factor of all, for which that of the row's first elements does as well, unless it is far smaller.
class RowExponentials {
 public:
  static constexpr int64_t kLine = kLineFloats;

  // A row of at least a line.
  explicit RowExponentials(const float* x) : exp_(Joined<kLine>(x, [](float a, float b) { return b > a ? b : a; })) {}

  // Adds the line that begins at element `at` of the row.
  void AddLine(const float* x, float* exponentials, int64_t at) {
    alignas(64) float values[kLine];
    exp_.Line(x, values);
    FloatLine line;  // or sums would wait in memory for their next line
    std::memcpy(&line, values, sizeof(line));
    std::memcpy(exponentials, &line, sizeof(line));
    sums_ += line;
    if (at % kSummed == kSummed - kLine) {
      totals_ += sums_;
      sums_ = FloatLine{};
    }
  }
  // Adds the n last elements, less than a line. A whole line of exponentials is written.
  void AddRest(const float* x, int64_t n, float* exponentials) {
    float rest[kLine];
    std::fill_n(rest, kLine, -std::numeric_limits<float>::infinity());  // adds nothing
    std::copy_n(x, n, rest);
    AddLine(rest, exponentials, 0);
  }
  // The sum over the row, whose exponentials are computed again if they do not hold. `exponentials` is not `x`.
  float End(const float* x, float* exponentials, int64_t columns) const {
    if (!exp_.Holds()) return ExpRow(x, exponentials, columns, RowMax(x, columns));
    const FloatLine all = totals_ + sums_;
    alignas(64) float lanes[kLine];
    std::memcpy(lanes, &all, sizeof(lanes));
    return Joined<kLine>(lanes, [](float a, float b) { return a + b; });
  }

 private:
  static constexpr int64_t kSummed = 2048;  // elements whose exponentials are added up one after the other, by lane

  ScaledExp exp_;
  FloatLine totals_ = {};  // totals of long rows: sums of sums lose less
  FloatLine sums_ = {};
};

// A row's exponentials; returns their sum.
inline float ScaledExpRow(const float* x, float* exponentials, int64_t columns) {
  constexpr int64_t kLine = RowExponentials::kLine;
  RowExponentials row(x);
  int64_t j = 0;
  for (; j + kLine <= columns; j += kLine) {
    PrefetchLines(x + columns + j, kLine * sizeof(float));  // the row after it
    __builtin_prefetch(exponentials + columns + j, 1);
    row.AddLine(x + j, exponentials + j, j);
  }
  if (j < columns) {
    float rest[kLine];
    row.AddRest(x + j, columns - j, rest);
    std::copy_n(rest, columns - j, exponentials + j);
  }
  return row.End(x, exponentials, columns);
}

// Rows that are in the caches. `x` and `y` may be the same.
template <class Op, class C>
void MakeRows(const Op& op, const C* x, C* y, int64_t rows, int64_t columns) {
  const auto end_row = [&](int64_t r, C sum) {
    C* const results = y + r * columns;
    const auto term = op.EndRow(r, RowEnd<C>{x + r * columns, columns, results, sum});
    DF_INDEPENDENT_ITERATIONS
    for (int64_t j = 0; j < columns; ++j) results[j] = op.Result(results[j], term, r * columns + j);
  };
  if constexpr (std::is_same_v<C, float>) {
    if (columns >= kLongRow && x != y) {
      for (int64_t r = 0; r < rows; ++r) end_row(r, ScaledExpRow(x + r * columns, y + r * columns, columns));
      return;
    }
  }
  ForGroups(rows, columns, [&](int64_t first, int64_t count) {
    C largest[kMaxRows];
    C sums[kMaxRows];
    ExpRows(x + first * columns, y + first * columns, count, columns, largest, sums);
    for (int64_t r = 0; r < count; ++r) end_row(first + r, sums[r]);
  });
}

}  // namespace dfrun::softmax

#endif  // DFRUN_KERNELS_NN_SOFTMAX_SOFTMAX_ROWS_H_
