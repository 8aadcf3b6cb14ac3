// The block of C that a product keeps in registers: what DirectGemm and BlockedGemm are made of.
//
// Every element is summed over k in order and with one rounding a step, whatever the block's size: how a product is cut
// into blocks, passes and tiles changes no bits.
#ifndef DFRUN_KERNELS_MATRIX_GEMM_BLOCK_H_
#define DFRUN_KERNELS_MATRIX_GEMM_BLOCK_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "kernels/matrix/simd.h"

namespace dfrun {

// Widest block of C, in vectors. Three leave the fewest loads a product.
inline constexpr int kMaxVectors = 3;
// Rows of such a block: accumulators, the row of B and one element of A must fit in the registers; and rows that lie a
// multiple of 4 KiB apart share a set of the first-level cache, which has room for 12 lines or fewer.
constexpr int MaxRows(int vectors) {
  return std::min((kVectorRegisters - vectors - 1) / vectors, 10);
}

// Memory that will be read soon: every 2^shift steps over k ask for another cache line of it, `step` bytes on. Few at a
// time, since a core waits for no more than some 16 lines at once.
struct Ahead {
  const void* at = nullptr;
  int64_t step = 0;
  int shift = 0;
};

// How the rows of B are read.
enum class RowsOfB {
  kWhole,    // whole vectors, whatever stands beyond the last column
  kEdge,     // no byte beyond the last column: costs a multiply-add's place
  kPacking,  // as kEdge, and copied to `packed` on the way
};

// What becomes of a block of C.
enum class IntoC {
  kStore,     // C = A B
  kContinue,  // C is the sum of an earlier pass over k, which goes on
  kAdd,       // C = C + A B, where A B is rounded to a sum of its own first
};

template <class T>
struct BlockOperands {
  const T* a;  // element (i, p) is a[i * row_step + p * k_step]
  int64_t row_step;
  int64_t k_step;
  const T* b;  // row p of B at b + p * b_stride
  int64_t b_stride;
  T* packed;  // kPacking: where B's rows are copied to, one after the other in whole vectors
  int64_t depth;
  int last_columns;  // columns of the last vector that count
  T* c;
  int64_t c_stride;
  IntoC into;
  Ahead ahead;
};

namespace internal {

template <class T, RowsOfB kRows, int Rows, int Vectors>
void GemmBlock(const BlockOperands<T>& o) {
  constexpr int kLast = Vectors - 1;
  constexpr int kRowsAPointer = 3;  // more would take registers, fewer additions a step
  constexpr int kPointers = (Rows + kRowsAPointer - 1) / kRowsAPointer;
  Vec<T> sum[Rows][Vectors];
  T* const c = o.c;
  const int64_t c_stride = o.c_stride;
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j) {
      sum[i][j] = Vec<T>{};
      __builtin_prefetch(c + i * c_stride + j * kLanes<T>, 1);
    }
  }
  if (o.into == IntoC::kContinue) {
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < kLast; ++j) sum[i][j] = Load(c + i * c_stride + j * kLanes<T>);
      sum[i][kLast] = LoadFirst(c + i * c_stride + kLast * kLanes<T>, o.last_columns);
    }
  }
  const T* a[kPointers];
#pragma GCC unroll 8
  for (int g = 0; g < kPointers; ++g) a[g] = o.a + kRowsAPointer * g * o.row_step;
  const int64_t row_step = o.row_step;
  const int64_t k_step = o.k_step;
  const int64_t b_stride = o.b_stride;
  const T* b = o.b;
  [[maybe_unused]] T* packed = o.packed;
  const int64_t depth = o.depth;
  const char* ahead = static_cast<const char*>(o.ahead.at);
  const int64_t ahead_step = o.ahead.step;
  const int shift = o.ahead.shift;
  for (int64_t p = 0; p < depth; ++p) {
    __builtin_prefetch(ahead + (p >> shift) * ahead_step);
    Vec<T> row[Vectors];
#pragma GCC unroll 4
    for (int j = 0; j < kLast; ++j) row[j] = Load(b + j * kLanes<T>);
    row[kLast] =
        kRows == RowsOfB::kWhole ? Load(b + kLast * kLanes<T>) : LoadFirst(b + kLast * kLanes<T>, o.last_columns);
    b += b_stride;
    if constexpr (kRows == RowsOfB::kPacking) {
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j) Store<T>(packed + j * kLanes<T>, row[j]);
      packed += Vectors * kLanes<T>;
    }
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
      const Vec<T> factor = Broadcast<T>(a[i / kRowsAPointer][(i % kRowsAPointer) * row_step]);
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j) sum[i][j] = MulAdd<T>(factor, row[j], sum[i][j]);
    }
#pragma GCC unroll 8
    for (int g = 0; g < kPointers; ++g) a[g] += k_step;
  }
  if (o.into == IntoC::kAdd) {
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < kLast; ++j) sum[i][j] = Plus<T>(Load(c + i * c_stride + j * kLanes<T>), sum[i][j]);
      sum[i][kLast] = Plus<T>(LoadFirst(c + i * c_stride + kLast * kLanes<T>, o.last_columns), sum[i][kLast]);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < kLast; ++j) Store<T>(c + i * c_stride + j * kLanes<T>, sum[i][j]);
    StoreFirst<T>(c + i * c_stride + kLast * kLanes<T>, sum[i][kLast], o.last_columns);
  }
}

template <class T, RowsOfB kRows, int Vectors, int... Rows>
constexpr std::array<void (*)(const BlockOperands<T>&), sizeof...(Rows)> GemmBlocks(
    std::integer_sequence<int, Rows...>) {
  return {&GemmBlock<T, kRows, Rows + 1, Vectors>...};
}

template <class T, RowsOfB kRows, int Vectors>
inline constexpr auto kGemmBlocks = GemmBlocks<T, kRows, Vectors>(std::make_integer_sequence<int, MaxRows(Vectors)>());

}  // namespace internal

// `rows` from 1 to MaxRows(vectors), `vectors` from 1 to kMaxVectors.
template <class T, RowsOfB kRows>
void RunGemmBlock(int64_t rows, int vectors, const BlockOperands<T>& operands) {
  switch (vectors) {
    case 1:
      return internal::kGemmBlocks<T, kRows, 1>[rows - 1](operands);
    case 2:
      return internal::kGemmBlocks<T, kRows, 2>[rows - 1](operands);
    default:
      return internal::kGemmBlocks<T, kRows, kMaxVectors>[rows - 1](operands);
  }
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_GEMM_BLOCK_H_
