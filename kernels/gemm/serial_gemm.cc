#include "kernels/gemm/serial_gemm.h"

#include <algorithm>
#include <type_traits>

#include "kernels/gemm/block_sums.h"
#include "kernels/gemm/even_ranges.h"
#include "kernels/gemm/pack.h"
#include "kernels/gemm/packed_gemm.h"
#include "kernels/gemm/prepacked_gemm.h"
#include "kernels/gemm/tuning.h"
#include "kernels/gemm/unpacked_gemm.h"
#include "src/base/integers.h"
#include "src/base/threads.h"

namespace dfrun {
namespace {

// Elements of an operand that stays in the second-level cache.
template <class T>
int64_t MostPrepacked() {
  return PrepackedBytes() / static_cast<int64_t>(sizeof(T));
}

// Columns of a transposed B that are prepacked at a time: whole panels.
template <class T>
int64_t PrepackedColumns(int64_t k, int64_t n) {
  return std::min(n, RoundUp(CeilDiv(kPrepackedElements, k), kPanelColumns<T>));
}

// Elements of a row of the block of C^T.
template <class T>
int64_t TransposedStride(int64_t m) {
  return RoundUp<int64_t>(m, kLanes<T>);
}

// Calls run(begin, count) for blocks of at most `most` of `total` rows or columns, as even as they can be.
template <class F>
void ForBlocks(int64_t total, int64_t most, F&& run) {
  const EvenRanges blocks(total, CeilDiv(total, std::max<int64_t>(1, most)));
  for (int64_t i = 0; i < blocks.count(); ++i) run(blocks.At(i).begin, blocks.At(i).size);
}

}  // namespace

template <class T>
SerialGemm<T>::SerialGemm(int64_t m, int64_t k, int64_t n, bool transposed_a, bool transposed_b,
                          const Epilogue<T>& epilogue)
    : epilogue_(epilogue), m_(m), k_(k), n_(n), algorithm_(Choose(transposed_a, transposed_b)) {}

template <class T>
GemmAlgorithm SerialGemm<T>::Choose(bool transposed_a, bool transposed_b) const {
  if (!std::is_floating_point_v<T> || k_ == 0) return GemmAlgorithm::kUnpacked;
  // An epilogue that needs the whole product allows only one pass over k.
  const bool may_be_unpacked = !epilogue_.scales() || k_ <= kUnpackedDepth;
  if (may_be_unpacked && m_ <= (transposed_b ? kRowsBySquares : kRowsWorthPacking - 1)) return GemmAlgorithm::kUnpacked;
  if (transposed_b) return ChooseOfTransposedB(transposed_a);
  if (k_ <= kShallowDepth) return GemmAlgorithm::kUnpacked;
  constexpr auto kBytes = static_cast<int64_t>(sizeof(T));
  const bool is_small = k_ <= kUnpackedDepth && n_ * kBytes <= kFarBytes && (m_ + n_) * k_ * kBytes <= SmallBytes();
  return may_be_unpacked && (is_small || n_ < kMinPackedColumns) ? GemmAlgorithm::kUnpacked : GemmAlgorithm::kPacked;
}

template <class T>
GemmAlgorithm SerialGemm<T>::ChooseOfTransposedB(bool transposed_a) const {
  // The costs in multiplications: transposing an element of B costs 10, so does one of A, one of C 20.
  const bool gains = 2 * m_ * n_ + (transposed_a ? 0 : m_ * k_) < n_ * k_;
  if (gains && !epilogue_.scales() && k_ * m_ <= MostPrepacked<T>()) return GemmAlgorithm::kTransposed;
  const bool is_deep = k_ > kPrepackedDepth && n_ >= kMinPackedColumns;
  return is_deep ? GemmAlgorithm::kPacked : GemmAlgorithm::kPrepacked;
}

template <class T>
int64_t SerialGemm<T>::scratch_elements() const {
  switch (algorithm_) {
    case GemmAlgorithm::kUnpacked:
      return 0;
    case GemmAlgorithm::kPrepacked:
      return PrepackedElements<T>(k_, PrepackedColumns<T>(k_, n_));
    case GemmAlgorithm::kTransposed:
      return PrepackedElements<T>(k_, m_) + kTransposedRows * TransposedStride<T>(m_);
    case GemmAlgorithm::kPacked:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) return PackedGemm<T>(m_, k_, n_, epilogue_).scratch_elements();
  return 0;
}

template <class T>
void SerialGemm<T>::Run(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, T* scratch) const {
  if (algorithm_ == GemmAlgorithm::kUnpacked) return RunUnpacked(a, b, c);
  if constexpr (std::is_floating_point_v<T>) {
    if (algorithm_ == GemmAlgorithm::kPrepacked) return RunPrepacked(a, b, c, scratch);
    if (algorithm_ == GemmAlgorithm::kTransposed) return RunTransposed(a, b, c, scratch);
    PackedGemm<T>(m_, k_, n_, epilogue_).Run(a, b, c, scratch);
  }
}

template <class T>
void SerialGemm<T>::RunUnpacked(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) const {
  ForBlocks(m_, kUnpackedRows, [&](int64_t row, int64_t rows) {
    UnpackedGemm<T>(rows, k_, n_, a.At(row, 0), b, c.At(row, 0), epilogue_.At(row, 0));
  });
}

template <class T>
void SerialGemm<T>::RunPrepacked(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                                 T* scratch) const requires std::is_floating_point_v<T> {
  InlineThreadPool caller;
  ForBlocks(n_, PrepackedColumns<T>(k_, n_), [&](int64_t column, int64_t columns) {
    Prepack<T>(b.At(0, column), k_, columns, scratch, caller);
    ForBlocks(m_, MostPrepacked<T>() / 2 / k_, [&](int64_t row, int64_t rows) {
      PrepackedGemm<T>(rows, k_, columns, a.At(row, 0), scratch, c.At(row, column), epilogue_.At(row, column), caller);
    });
  });
}

// Some rows of C^T at a time are computed in scratch memory and transposed to where they belong.
template <class T>
void SerialGemm<T>::RunTransposed(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                                  T* scratch) const requires std::is_floating_point_v<T> {
  InlineThreadPool caller;
  Prepack<T>({a.data, a.stride, !a.transposed}, k_, m_, scratch, caller);
  T* const block = scratch + PrepackedElements<T>(k_, m_);
  const int64_t stride = TransposedStride<T>(m_);
  for (int64_t row = 0; row < n_; row += kTransposedRows) {
    const int64_t rows = std::min(kTransposedRows, n_ - row);
    const MatrixView<const T> rows_of_b{b.data + row * b.stride, b.stride, false};
    PrepackedGemm<T>(rows, k_, m_, rows_of_b, scratch, {block, stride, false}, {}, caller);
    TransposeTo(block, stride, rows, m_, c.data + row, c.stride);
    FinishInMemory(epilogue_.At(0, row), c.At(0, row), m_, rows);
  }
}

template class SerialGemm<float>;
template class SerialGemm<double>;
template class SerialGemm<int32_t>;
template class SerialGemm<int64_t>;

}  // namespace dfrun
