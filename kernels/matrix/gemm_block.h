// The block of C that a product keeps in registers: what DirectGemm and BlockedGemm are made of.
//
// Every element is summed over k in order and with one rounding a step, whatever the block's size: how a product is cut
// into blocks, passes and tiles changes no bits.
#ifndef DFRUN_KERNELS_MATRIX_GEMM_BLOCK_H_
#define DFRUN_KERNELS_MATRIX_GEMM_BLOCK_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/matrix/gemm_output.h"
#include "kernels/matrix/simd.h"

namespace dfrun {

// Widest block of C, in vectors, of a product that copies B as it goes. Three leave the most products to a vector of B.
inline constexpr int kMaxVectors = 3;
// Of one whose panel of B is in the first caches already: four leave the fewest loads a product.
inline constexpr int kMaxVectorsAtHand = kVectorRegisters == 32 ? 4 : kMaxVectors;
// Rows of such a block: accumulators, the row of B and one element of A must fit in the registers; and rows that lie a
// multiple of 4 KiB apart share a set of the first-level cache, which has room for 12 lines or fewer.
constexpr int MaxRows(int vectors) {
  return std::min((kVectorRegisters - vectors - 1) / vectors, 10);
}

// How the rows of B are read, and what else is done on the way.
enum class RowsOfB {
  kWhole,    // whole vectors one after the other, whatever stands beyond the last column; others may be asked for
  kInPlace,  // whole vectors, rows b_stride apart
  kEdge,     // the same, but no byte beyond the last column: costs a multiply-add's place
  kCopying,  // as kWhole, while rows of another matrix are copied
};

// Rows that a product copies for the next one, a few steps over k at a time: memory is waited for while the units that
// multiply are busy. Rows that lie a multiple of 4 KiB apart share a few sets of the caches, so that what is asked for
// must be used soon.
template <class T>
struct RowCopy {
  const T* from;
  int64_t stride;
  T* to;  // one row after the other in whole vectors
  int64_t rows;
  int vectors;
  int last_columns;  // columns of the last vector that count
  int interval;      // of kStepsAtATime steps, between copies
  int at_once;       // rows a copy
};
// Integers multiply so slowly that a loop costs them nothing.
template <class T>
inline constexpr int kStepsAtATime = std::is_floating_point_v<T> ? 4 : 1;

// What becomes of a block's sums; where its rows of C are, each kind of block says itself.
template <class T>
struct BlockOutput {
  int last_columns;  // columns of the last vector that count
  bool continues;    // C is the sum of an earlier pass over k; `into` is kStore
  GemmInto into;
  T rate;  // of kDescend
  BlockFinish<T> finish;
};

template <class T>
struct BlockOperands : BlockOutput<T> {
  const T* a;  // element (i, p) is a[i * a_stride + p], or a[p * a_stride + i] of a transpose
  int64_t a_stride;
  bool transposed_a;
  const T* b;  // row p of B at b + p * b_stride
  int64_t b_stride;
  int64_t depth;
  T* c;
  int64_t c_stride;
  RowCopy<T>* copy;  // kCopying: may have no rows
};

namespace internal {

// Copies some rows, and asks for those that will be copied later.
template <class T>
[[gnu::always_inline]] inline void CopySomeRows(RowCopy<T>& copy) {
  constexpr int kRowsAhead = 8;
  for (int64_t left = std::min<int64_t>(copy.at_once, copy.rows); left > 0; --left) {
    const int last = copy.vectors - 1;
    for (int j = 0; j < last; ++j) {
      __builtin_prefetch(copy.from + kRowsAhead * copy.stride + j * kLanes<T>);
      Store<T>(copy.to + j * kLanes<T>, Load(copy.from + j * kLanes<T>));
    }
    __builtin_prefetch(copy.from + kRowsAhead * copy.stride + last * kLanes<T>);
    Store<T>(copy.to + last * kLanes<T>, LoadFirst(copy.from + last * kLanes<T>, copy.last_columns));
    copy.from += copy.stride;
    copy.to += copy.vectors * kLanes<T>;
    --copy.rows;
  }
}

// The rows of a block, where they are as far apart; others are a table of their addresses, T* const*.
template <class T>
struct StridedRows {
  T* operator[](int i) const { return first + i * stride; }
  T* first;
  int64_t stride;
};

template <class T, int Rows, int Vectors>
[[gnu::always_inline]] inline void ZeroSums(Vec<T> (&sums)[Rows][Vectors]) {
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j) sums[i][j] = Vec<T>{};
  }
}

// Asks for a row of a block of C that comes next.
template <class T, int Vectors>
[[gnu::always_inline]] inline void AskForRow(const T* row) {
#pragma GCC unroll 4
  for (int j = 0; j < Vectors; ++j) __builtin_prefetch(row + j * kLanes<T>, 1);
  __builtin_prefetch(row + Vectors * kLanes<T> - 1, 1);  // another line, where rows begin within one
}

// Sums of a block of C, of whose last vector `last_columns` lanes count; c[i]: row i.
template <class T, class C, int Rows, int Vectors>
[[gnu::always_inline]] inline void LoadSums(C c, int last_columns, Vec<T> (&sums)[Rows][Vectors]) {
  constexpr int kLast = Vectors - 1;
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
    const T* const row = c[i];
#pragma GCC unroll 4
    for (int j = 0; j < kLast; ++j) sums[i][j] = Load(row + j * kLanes<T>);
    sums[i][kLast] = LoadFirst(row + kLast * kLanes<T>, last_columns);
  }
}

// sums = changed(C, sums).
template <class T, class C, int Rows, int Vectors, class F>
[[gnu::always_inline]] inline void ChangeSums(C c, int last_columns, Vec<T> (&sums)[Rows][Vectors], F changed) {
  constexpr int kLast = Vectors - 1;
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
    const T* const row = c[i];
#pragma GCC unroll 4
    for (int j = 0; j < kLast; ++j) sums[i][j] = changed(Load(row + j * kLanes<T>), sums[i][j]);
    sums[i][kLast] = changed(LoadFirst(row + kLast * kLanes<T>, last_columns), sums[i][kLast]);
  }
}

// The bits of BiasAdd, Relu, ReluGrad and AddV2.
template <class T, int Rows, int Vectors>
[[gnu::always_inline]] inline void FinishSums(const BlockFinish<T>& finish, int last_columns,
                                              Vec<T> (&sums)[Rows][Vectors]) {
  const StridedRows<const T> bias{finish.bias, 0};
  if (finish.bias != nullptr && finish.relu) {
    ChangeSums<T>(bias, last_columns, sums, [](Vec<T> bias, Vec<T> sum) {
      const Vec<T> biased = Plus<T>(sum, bias);
      return biased < Vec<T>{} ? Vec<T>{} : biased;
    });
  } else if (finish.bias != nullptr) {
    ChangeSums<T>(bias, last_columns, sums, [](Vec<T> bias, Vec<T> sum) { return Plus<T>(sum, bias); });
  }
  if (finish.features != nullptr) {
    ChangeSums<T>(
        StridedRows<const T>{finish.features, finish.features_stride}, last_columns, sums,
        [](Vec<T> feature, Vec<T> sum) { return sum * (feature > Vec<T>{} ? Broadcast<T>(T{1}) : Vec<T>{}); });
  }
}

// What the sums of a block begin with.
template <class T, class C, int Rows, int Vectors>
[[gnu::always_inline]] inline void BeginSums(const BlockOutput<T>& o, C c, Vec<T> (&sums)[Rows][Vectors]) {
  ZeroSums<T>(sums);
  if (o.continues) LoadSums<T>(c, o.last_columns, sums);
}

// Makes whole sums C.
template <class T, class C, int Rows, int Vectors>
[[gnu::always_inline]] inline void PutSums(const BlockOutput<T>& o, C c, Vec<T> (&sums)[Rows][Vectors]) {
  constexpr int kLast = Vectors - 1;
  const int last_columns = o.last_columns;  // in a register: what is stored might be `o` to the compiler
  if (o.into == GemmInto::kAdd) {
    ChangeSums<T>(c, last_columns, sums, [](Vec<T> was, Vec<T> product) { return Plus<T>(was, product); });
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (o.into == GemmInto::kDescend) {
      ChangeSums<T>(c, last_columns, sums,
                    [by = Broadcast<T>(o.rate)](Vec<T> was, Vec<T> product) { return was - by * product; });
    }
  }
  FinishSums(o.finish, last_columns, sums);
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
    T* const row = c[i];
#pragma GCC unroll 4
    for (int j = 0; j < kLast; ++j) Store<T>(row + j * kLanes<T>, sums[i][j]);
    StoreFirst<T>(row + kLast * kLanes<T>, sums[i][kLast], last_columns);
  }
}

template <class T, RowsOfB kRows, bool kTransposedA, int Rows, int Vectors>
void GemmBlock(const BlockOperands<T>& o) {
  constexpr int kLast = Vectors - 1;
  // More pointers would take registers, fewer additions a step.
  constexpr int kRowsAPointer = kTransposedA ? Rows : std::min(Rows, 3);
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
  const StridedRows<T> rows_of_c{c, c_stride};
  if (o.continues) LoadSums<T>(rows_of_c, o.last_columns, sum);
  const T* a[kPointers];
#pragma GCC unroll 8
  for (int g = 0; g < kPointers; ++g) a[g] = o.a + kRowsAPointer * g * (kTransposedA ? 1 : o.a_stride);
  const int64_t row_step = kTransposedA ? 1 : o.a_stride;
  const int64_t k_step = kTransposedA ? o.a_stride : 1;
  constexpr bool kIsPanel = kRows == RowsOfB::kWhole || kRows == RowsOfB::kCopying;
  const int64_t b_stride = kIsPanel ? Vectors * kLanes<T> : o.b_stride;
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
      for (int j = 0; j < Vectors; ++j) AddProduct<T>(sum[i][j], factor, row[j]);
    }
  };
  const auto advance = [&](int64_t steps) __attribute__((always_inline)) {
    b += steps * b_stride;
#pragma GCC unroll 8
    for (int g = 0; g < kPointers; ++g) a[g] += steps * k_step;
  };
  const int64_t depth = o.depth;
  int64_t p = 0;
  [[maybe_unused]] int until_copy = 1;
  for (; p + kStepsAtATime<T> <= depth; p += kStepsAtATime<T>) {
    if constexpr (kRows == RowsOfB::kCopying) {
      if (--until_copy == 0) {
        CopySomeRows(*o.copy);
        until_copy = o.copy->interval;
      }
    }
#pragma GCC unroll 4
    for (int u = 0; u < kStepsAtATime<T>; ++u) step(u);
    advance(kStepsAtATime<T>);
  }
  for (; p < depth; ++p) {
    step(0);
    advance(1);
  }
  PutSums<T>(o, rows_of_c, sum);
}

template <class T, RowsOfB kRows, bool kTransposedA, int Vectors, int... Rows>
constexpr std::array<void (*)(const BlockOperands<T>&), sizeof...(Rows)> GemmBlocks(
    std::integer_sequence<int, Rows...>) {
  return {&GemmBlock<T, kRows, kTransposedA, Rows + 1, Vectors>...};
}

template <class T, RowsOfB kRows, bool kTransposedA, int Vectors>
inline constexpr auto kGemmBlocks =
    GemmBlocks<T, kRows, kTransposedA, Vectors>(std::make_integer_sequence<int, MaxRows(Vectors)>());

template <RowsOfB kRows>
inline constexpr int kWidest = kRows == RowsOfB::kCopying ? kMaxVectors : kMaxVectorsAtHand;

template <class T, RowsOfB kRows, bool kTransposedA>
void RunGemmBlock(int64_t rows, int vectors, const BlockOperands<T>& operands) {
  switch (vectors) {
    case 1:
      return kGemmBlocks<T, kRows, kTransposedA, 1>[rows - 1](operands);
    case 2:
      return kGemmBlocks<T, kRows, kTransposedA, 2>[rows - 1](operands);
    case kMaxVectors:
      return kGemmBlocks<T, kRows, kTransposedA, kMaxVectors>[rows - 1](operands);
    default:
      return kGemmBlocks<T, kRows, kTransposedA, kWidest<kRows>>[rows - 1](operands);
  }
}

}  // namespace internal

// `rows` from 1 to MaxRows(vectors), `vectors` from 1 to kMaxVectors, or to kMaxVectorsAtHand where no rows are copied.
template <class T, RowsOfB kRows>
void RunGemmBlock(int64_t rows, int vectors, const BlockOperands<T>& operands) {
  return operands.transposed_a ? internal::RunGemmBlock<T, kRows, true>(rows, vectors, operands)
                               : internal::RunGemmBlock<T, kRows, false>(rows, vectors, operands);
}

// Compiled with DirectGemm.
extern template void RunGemmBlock<float, RowsOfB::kWhole>(int64_t, int, const BlockOperands<float>&);
extern template void RunGemmBlock<double, RowsOfB::kWhole>(int64_t, int, const BlockOperands<double>&);

// Finishes sums that are whole in memory: of products that were computed as their transposes.
template <class T>
void FinishInMemory(const GemmOutput<T>& output, MatrixView<T> c, int64_t rows, int64_t columns) {
  if (output.bias == nullptr && output.features.data == nullptr) return;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; j += kLanes<T>) {
      const int lanes = static_cast<int>(std::min<int64_t>(kLanes<T>, columns - j));
      T* const at = c.At(i, j).data;
      Vec<T> sums[1][1] = {{LoadFirst(at, lanes)}};
      internal::FinishSums(output.OfBlock(i, j), lanes, sums);
      StoreFirst(at, sums[0][0], lanes);
    }
  }
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_GEMM_BLOCK_H_
