// The sums of a block of C while they are in registers: their beginning, the epilogue, and their storing to C. Both
// micro-kernels use this.
#ifndef DFRUN_KERNELS_GEMM_BLOCK_SUMS_H_
#define DFRUN_KERNELS_GEMM_BLOCK_SUMS_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/gemm/epilogue.h"
#include "kernels/gemm/simd.h"

namespace dfrun {

// The parts of a block's output that all micro-kernels have alike. Each adds its own form of the rows of C.
template <class T>
struct BlockOutput {
  int last_columns;      // columns of the last vector that count
  bool continues;        // C is the sum of an earlier pass over k
  Epilogue<T> epilogue;  // from the block's first element on; the default's where a later pass continues
};

namespace internal {

// The rows of a block, where they are as far apart; others are a table of their addresses, T* const*.
template <class T>
struct StridedRows {
  T* operator[](int i) const { return first + i * stride; }
  T* first;
  int64_t stride;
};

// Prefetches a row of a block of C that comes next.
template <class T, int Vectors>
[[gnu::always_inline]] inline void PrefetchRow(const T* row) {
#pragma GCC unroll 4
  for (int j = 0; j < Vectors; ++j) __builtin_prefetch(row + j * kLanes<T>, 1);
  __builtin_prefetch(row + Vectors * kLanes<T> - 1, 1);  // another line, where rows begin within one
}

// sums = changed(C, sums), of whose last vector `last_columns` lanes count; c[i]: row i.
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

// sums = changed(sums).
template <class T, int Rows, int Vectors, class F>
[[gnu::always_inline]] inline void EachSum(Vec<T> (&sums)[Rows][Vectors], F changed) {
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j) sums[i][j] = changed(sums[i][j]);
  }
}

// Initialises the sums: zeros, or C where the block continues an earlier pass.
template <class T, class C, int Rows, int Vectors>
[[gnu::always_inline]] inline void BeginSums(const BlockOutput<T>& o, C c, Vec<T> (&sums)[Rows][Vectors]) {
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j) sums[i][j] = Vec<T>{};
  }
  if (o.continues) ChangeSums<T>(c, o.last_columns, sums, [](Vec<T> earlier, Vec<T> /*zero*/) { return earlier; });
}

template <class T, class C, int Rows, int Vectors>
[[gnu::always_inline]] inline void ScaleAndAdd(const Epilogue<T>& e, C c, int last_columns,
                                               Vec<T> (&sums)[Rows][Vectors]) {
  if (e.alpha != T{1}) {
    EachSum<T>(sums, [alpha = Broadcast<T>(e.alpha)](Vec<T> sum) { return alpha * sum; });
  }
  if (e.beta != T{0}) {
    ChangeSums<T>(c, last_columns, sums,
                  [beta = Broadcast<T>(e.beta)](Vec<T> was, Vec<T> sum) { return beta * was + sum; });
  }
}

// The bias, Relu and the gradient of Relu.
template <class T, int Rows, int Vectors>
[[gnu::always_inline]] inline void FinishSums(const Epilogue<T>& e, int last_columns, Vec<T> (&sums)[Rows][Vectors]) {
  if (e.bias != nullptr) {
    ChangeSums<T>(StridedRows<const T>{e.bias, 0}, last_columns, sums,
                  [](Vec<T> bias, Vec<T> sum) { return Plus<T>(sum, bias); });
    if (e.relu) EachSum<T>(sums, [](Vec<T> sum) { return sum < Vec<T>{} ? Vec<T>{} : sum; });
  }
  if (e.features.data != nullptr) {
    ChangeSums<T>(
        StridedRows<const T>{e.features.data, e.features.stride}, last_columns, sums,
        [](Vec<T> feature, Vec<T> sum) { return sum * (feature > Vec<T>{} ? Broadcast<T>(T{1}) : Vec<T>{}); });
  }
}

// Makes whole sums C.
template <class T, class C, int Rows, int Vectors>
[[gnu::always_inline]] inline void PutSums(const BlockOutput<T>& o, C c, Vec<T> (&sums)[Rows][Vectors]) {
  constexpr int kLast = Vectors - 1;
  const int last_columns = o.last_columns;  // in a register: what is stored might be `o` to the compiler
  if constexpr (std::is_floating_point_v<T>) ScaleAndAdd(o.epilogue, c, last_columns, sums);
  FinishSums(o.epilogue, last_columns, sums);
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
    T* const row = c[i];
#pragma GCC unroll 4
    for (int j = 0; j < kLast; ++j) Store<T>(row + j * kLanes<T>, sums[i][j]);
    StoreFirst<T>(row + kLast * kLanes<T>, sums[i][kLast], last_columns);
  }
}

}  // namespace internal

// The epilogue of sums that are whole in memory, of a product that was computed as its transpose.
template <class T>
void FinishInMemory(const Epilogue<T>& epilogue, MatrixView<T> c, int64_t rows, int64_t columns) {
  if (epilogue.bias == nullptr && epilogue.features.data == nullptr) return;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; j += kLanes<T>) {
      const int lanes = static_cast<int>(std::min<int64_t>(kLanes<T>, columns - j));
      T* const at = c.At(i, j).data;
      Vec<T> sums[1][1] = {{LoadFirst(at, lanes)}};
      internal::FinishSums(epilogue.At(i, j), lanes, sums);
      StoreFirst(at, sums[0][0], lanes);
    }
  }
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_BLOCK_SUMS_H_
