// The micro-kernel of operands that are not packed together: A is read where it lies, B where it lies or from a panel.
//
// Every element is summed over k in order and with one rounding a step, whatever the block's size: how a product is cut
// into blocks, passes and tiles changes no bits.
#ifndef DFRUN_KERNELS_GEMM_UKERNEL_H_
#define DFRUN_KERNELS_GEMM_UKERNEL_H_

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/gemm/block_sums.h"
#include "kernels/gemm/tuning.h"

namespace dfrun {

// The way in which the rows of B are read.
enum class RowsOfB {
  kPacked,   // whole vectors one after the other, whatever stands beyond the last column
  kInPlace,  // whole vectors, rows b_stride apart
  kEdge,     // rows in place, but no byte beyond the last column: costs a multiply-add's place
};

template <class T>
struct UkernelOperands : BlockOutput<T> {
  const T* a;  // element (i, p) is a[i * a_stride + p], or a[p * a_stride + i] of a transpose
  int64_t a_stride;
  const T* b;  // row p of B at b + p * b_stride
  int64_t b_stride;
  int64_t depth;
  T* c;
  int64_t c_stride;
};

namespace internal {

// Steps over k in a turn of the loop. Integers multiply so slowly that a loop costs them nothing.
template <class T>
inline constexpr int kStepsAtATime = std::is_floating_point_v<T> ? 4 : 1;

template <class T, RowsOfB kRows, bool kTransposedA, int Rows, int Vectors>
void Ukernel(const UkernelOperands<T>& o) {
  constexpr int kLast = Vectors - 1;
  // More pointers would take registers, fewer additions a step.
  constexpr int kRowsAPointer = kTransposedA ? Rows : std::min(Rows, 3);
  constexpr int kPointers = (Rows + kRowsAPointer - 1) / kRowsAPointer;
  Vec<T> sums[Rows][Vectors];
  const StridedRows<T> c{o.c, o.c_stride};
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j) __builtin_prefetch(c[i] + j * kLanes<T>, 1);
  }
  BeginSums<T>(o, c, sums);
  const T* a[kPointers];
#pragma GCC unroll 8
  for (int g = 0; g < kPointers; ++g) a[g] = o.a + kRowsAPointer * g * (kTransposedA ? 1 : o.a_stride);
  const int64_t row_step = kTransposedA ? 1 : o.a_stride;
  const int64_t k_step = kTransposedA ? o.a_stride : 1;
  const int64_t b_stride = kRows == RowsOfB::kPacked ? Vectors * kLanes<T> : o.b_stride;
  const T* b = o.b;
  const auto step = [&](int u) __attribute__((always_inline)) {
    Vec<T> row[Vectors];
    const T* const at = b + u * b_stride;
#pragma GCC unroll 4
    for (int j = 0; j < kLast; ++j) row[j] = Load(at + j * kLanes<T>);
    row[kLast] =
        kRows != RowsOfB::kEdge ? Load(at + kLast * kLanes<T>) : LoadFirst(at + kLast * kLanes<T>, o.last_columns);
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
      const Vec<T> factor = Broadcast<T>(a[i / kRowsAPointer][(i % kRowsAPointer) * row_step + u * k_step]);
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j) AddProduct<T>(sums[i][j], factor, row[j]);
    }
  };
  const auto advance = [&](int64_t steps) __attribute__((always_inline)) {
    b += steps * b_stride;
#pragma GCC unroll 8
    for (int g = 0; g < kPointers; ++g) a[g] += steps * k_step;
  };
  const int64_t depth = o.depth;
  int64_t p = 0;
  for (; p + kStepsAtATime<T> <= depth; p += kStepsAtATime<T>) {
#pragma GCC unroll 4
    for (int u = 0; u < kStepsAtATime<T>; ++u) step(u);
    advance(kStepsAtATime<T>);
  }
  for (; p < depth; ++p) {
    step(0);
    advance(1);
  }
  PutSums<T>(o, c, sums);
}

template <class T, RowsOfB kRows, bool kTransposedA, int Vectors, int... Rows>
constexpr std::array<void (*)(const UkernelOperands<T>&), sizeof...(Rows)> UkernelsByRows(
    std::integer_sequence<int, Rows...>) {
  return {&Ukernel<T, kRows, kTransposedA, Rows + 1, Vectors>...};
}

template <class T, RowsOfB kRows, bool kTransposedA, int Vectors>
inline constexpr auto kUkernelsByRows =
    UkernelsByRows<T, kRows, kTransposedA, Vectors>(std::make_integer_sequence<int, MaxRows(Vectors)>());

// Integers multiply so slowly that reading by lanes costs them nothing, and saves half of this code.
template <class T, RowsOfB kRows>
inline constexpr RowsOfB kOrEdge = std::is_integral_v<T> ? RowsOfB::kEdge : kRows;

template <class T, RowsOfB kRows, bool kTransposedA>
inline constexpr std::array kUkernels = {kUkernelsByRows<T, kOrEdge<T, kRows>, kTransposedA, 1>.data(),
                                         kUkernelsByRows<T, kOrEdge<T, kRows>, kTransposedA, 2>.data(),
                                         kUkernelsByRows<T, kOrEdge<T, kRows>, kTransposedA, kMaxVectors>.data(),
                                         kUkernelsByRows<T, kOrEdge<T, kRows>, kTransposedA, kMaxVectorsAtHand>.data()};

}  // namespace internal

// Computes a block of so many rows, which the table's index tells but for one.
template <class T>
using UkernelTable = void (*const*)(const UkernelOperands<T>&);

// The micro-kernels of 1 to MaxRows(vectors) rows; `vectors` from 1 to kMaxVectorsAtHand.
template <class T, bool kTransposedA>
UkernelTable<T> UkernelsFor(RowsOfB rows, int vectors) {
  const auto i = static_cast<size_t>(vectors - 1);
  if (rows == RowsOfB::kPacked) return internal::kUkernels<T, RowsOfB::kPacked, kTransposedA>[i];
  if (rows == RowsOfB::kInPlace) return internal::kUkernels<T, RowsOfB::kInPlace, kTransposedA>[i];
  return internal::kUkernels<T, RowsOfB::kEdge, kTransposedA>[i];
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_UKERNEL_H_
