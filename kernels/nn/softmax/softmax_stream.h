// Softmax and its kin over rows of float whose results do not fit in the caches: one pass over memory, with two rows
// under way.
#ifndef DFRUN_KERNELS_NN_SOFTMAX_SOFTMAX_STREAM_H_
#define DFRUN_KERNELS_NN_SOFTMAX_SOFTMAX_STREAM_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/nn/softmax/softmax_rows.h"
#include "src/base/integers.h"
#include "src/base/stream_store.h"
#include "src/base/threads.h"

namespace dfrun::softmax {

// Computes the exponentials of a row while the results of the row before are written around the caches: reading,
// computing and writing overlap, where pass after pass over a row would wait for memory, then keep it waiting. The
// largest element of a row is not looked for first: with a third row for that every line is read twice, and rows of
// 1,024 take 0.60 to 0.75 of a copy's speed instead of 0.86 to 0.95.
template <class Op>
class StreamedRows {
 public:
  static bool Takes(const float* x, const float* y, int64_t rows, int64_t columns) {
    constexpr int64_t kMaxColumns = 262144;  // longer rows do not stay in the caches
    return x != y && columns >= kLongRow && columns <= kMaxColumns && IsStreamed(rows * columns, sizeof(float));
  }

  // The rows of x into those of y, where Takes() takes them.
  static void Run(const Op& op, const float* x, float* y, int64_t rows, int64_t columns, ThreadPool& pool) {
    // A block has so many elements that its first and last row, which run alone, do not count.
    constexpr int64_t kElements = 65536;
    constexpr int64_t kRows = 8;
    pool.ParallelFor(rows, std::max(kRows, kElements / columns),
                     [&](int64_t begin, int64_t end) { StreamedRows(op, x, y, columns).RunBlock(begin, end); });
  }

 private:
  using Term = TermOf<Op, float>;
  static constexpr int64_t kLine = RowExponentials::kLine;
  static constexpr int64_t kAliased = 4096 / sizeof(float);

  StreamedRows(const Op& op, const float* x, float* y, int64_t columns)
      : op_(op), x_(x), y_(y), columns_(columns), kept_(static_cast<size_t>(2 * Padded(columns) + kAliased + kLine)) {
    // A load waits for an earlier store whose address has the same last 12 bits. So the kept rows lie half of that
    // distance away from the memory that is read and written beside them. Just ahead of it, softmax took 1.4 times as
    // long.
    const auto wanted = reinterpret_cast<uintptr_t>(y) / sizeof(float) + kAliased / 2;
    const auto begin = reinterpret_cast<uintptr_t>(kept_.data()) / sizeof(float);
    now_ = kept_.data() + (wanted - begin) % kAliased;
    now_ += FloatsToLine(now_);
    before_ = now_ + Padded(columns);
  }
  static int64_t Padded(int64_t columns) { return RoundUp(columns, kLine); }
  // Floats from `p` to the beginning of a line.
  static int64_t FloatsToLine(const float* p) {
    return static_cast<int64_t>(-reinterpret_cast<uintptr_t>(p) % 64 / sizeof(float));
  }

  void RunBlock(int64_t begin, int64_t end) {
    begin_ = begin;
    end_ = end;
    Step<false>(begin);
    for (int64_t r = begin + 1; r < end; ++r) Step<true>(r);
    Finish(end - 1);
    StreamFence();
  }

  // Exponentials of row r and, in the same loop, the results of row r - 1.
  template <bool kFinishes>
  void Step(int64_t r) {
    constexpr int64_t kAhead = 2048;  // two pages, in the second-level cache: measured
    const float* const row = x_ + r * columns_;
    float* const results = y_ + (r - 1) * columns_;
    float* const now = now_;  // in registers: stores of floats might change members
    const float* const before = before_;
    const Term term = term_;
    const int64_t columns = columns_;
    const int64_t head = kFinishes ? FloatsToLine(results) : 0;
    RowExponentials exponentials(row);
    int64_t j = 0;
    for (; j + kLine <= columns; j += kLine) {
      __builtin_prefetch(row + j + kAhead, 0, 2);
      exponentials.AddLine(row + j, now + j, j);
      if (kFinishes && head + j + kLine <= columns)
        FinishLine(before + head + j, term, (r - 1) * columns + head + j, results + head + j);
    }
    if (j < columns) exponentials.AddRest(row + j, columns - j, now + j);
    if (kFinishes) FinishEdges(r - 1, head);
    const float sum = exponentials.End(row, now, columns);
    term_ = op_.EndRow(r, RowEnd<float>{row, columns, now, sum});
    std::swap(now_, before_);
  }

  // Results of a line of the output, from element `at` on.
  void FinishLine(const float* before, Term term, int64_t at, float* results) const {
    alignas(64) float line[kLine];
#pragma GCC unroll 1
    for (int64_t l = 0; l < kLine; ++l) line[l] = op_.Result(before[l], term, at + l);
    StreamLine(results, line);
  }
  // Results [begin, end) of row r.
  void FinishEach(int64_t r, int64_t begin, int64_t end, float* results) const {
    for (int64_t j = begin; j < end; ++j) results[j - begin] = op_.Result(before_[j], term_, r * columns_ + j);
  }
  // Finishes the elements of row r that share lines with its neighbours: the end of a row waits for the beginning of
  // the next. `head`: elements before the first whole line.
  void FinishEdges(int64_t r, int64_t head) {
    if (head == 0 && columns_ % kLine == 0) return;
    float* const row = y_ + r * columns_;
    float* const beginning = edge_ + (kLine - head);
    FinishEach(r, 0, head, beginning);
    if (r == begin_) {
      std::copy_n(beginning, head, row);
    } else if (head > 0) {
      StreamLine(row + head - kLine, edge_);
    }
    const int64_t tail = head + (columns_ - head) / kLine * kLine;
    FinishEach(r, tail, columns_, edge_);
    if (r + 1 == end_) std::copy_n(edge_, columns_ - tail, row + tail);
  }
  // All of a row, whose kept values are in before_.
  void Finish(int64_t r) {
    const int64_t first = r * columns_;
    const int64_t head = FloatsToLine(y_ + first);
    for (int64_t j = head; j + kLine <= columns_; j += kLine) FinishLine(before_ + j, term_, first + j, y_ + first + j);
    FinishEdges(r, head);
  }

  const Op& op_;
  const float* const x_;
  float* const y_;
  const int64_t columns_;
  Term term_{};        // term of the row before
  int64_t begin_ = 0;  // rows of the block
  int64_t end_ = 0;
  alignas(64) float edge_[kLine];
  float* now_;  // exponentials of the row that is read, and of the one before; lines
  float* before_;
  std::vector<float> kept_;
};

}  // namespace dfrun::softmax

#endif  // DFRUN_KERNELS_NN_SOFTMAX_SOFTMAX_STREAM_H_
