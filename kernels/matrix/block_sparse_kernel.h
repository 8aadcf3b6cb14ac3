// The block of C that BlockSparseGemm keeps in registers: PackedBlock's, of a tile that leaves out columns of A.
#ifndef DFRUN_KERNELS_MATRIX_BLOCK_SPARSE_KERNEL_H_
#define DFRUN_KERNELS_MATRIX_BLOCK_SPARSE_KERNEL_H_

#include <array>
#include <utility>

#include "kernels/matrix/block_sparse_tiles.h"
#include "kernels/matrix/gemm_block.h"
#include "kernels/matrix/operand_copy.h"

namespace dfrun {

template <class T>
struct BlockSparseOperands : BlockOutput<T> {
  typename BlockSparseTiles<T>::Tile a;
  const T* b;  // of PanelCopy
  bool b_is_finite;
  int64_t depth;  // rows of B
  T* const* c;    // where the block's rows of C begin
  // Done beside the product:
  PanelCopy<T, true>* copy;
  T* const* next_c;  // the rows of the block of C that comes next, which are asked for
  int64_t next_rows;
};

namespace internal {

// The sum of zero times the rows of B that no row of the tile was multiplied by: NaN where they are not finite.
template <class T>
[[gnu::noinline]] void ZerosLeftOut(const BlockSparseOperands<T>& o, int vectors, T* zeros) {
  for (int j = 0; j < vectors; ++j) Store<T>(zeros + j * kLanes<T>, Vec<T>{});
  int64_t next = 0;
  for (int64_t p = 0; p < o.depth; ++p) {
    if (next < o.a.kept && o.a.columns[next] == p) {
      ++next;
      continue;
    }
    for (int j = 0; j < vectors; ++j) {
      T* const zero = zeros + j * kLanes<T>;
      Store<T>(zero, Plus<T>(Load(zero), Load(o.b + (p * vectors + j) * kLanes<T>) * Vec<T>{}));
    }
  }
}

template <class T, int Rows, int Vectors>
void BlockSparseBlock(const BlockSparseOperands<T>& o) {
  constexpr int kTurn = kTurnDepth<T>;
  constexpr int kUnrolled = std::min(8, kTurn);
  constexpr int kNextRowsATurn = 2;
  constexpr int kAhead = 2 * kTurn;  // columns of A
  static_assert(kAhead <= BlockSparseTiles<T>::kColumnsBeyond);
  Vec<T> sums[Rows][Vectors];
  BeginSums<T>(o, o.c, sums);
  const T* a[Rows];
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) a[i] = o.a.rows[i];
  const uint16_t* at = o.a.columns;
  const T* const b = o.b;
  const auto step = [&](int u) __attribute__((always_inline)) {
    const int64_t p = at[u];
    const T* const from = b + p * (Vectors * kLanes<T>);
    Vec<T> row[Vectors];
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j) row[j] = Load(from + j * kLanes<T>);
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
      const Vec<T> factor = Broadcast<T>(a[i][p]);
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j) AddProduct<T>(sums[i][j], factor, row[j]);
    }
    asm volatile("" ::: "memory");  // steps that the compiler mixes take more registers than there are
  };
  T* const* next_c = o.next_c;
  int64_t next_rows = o.next_rows;
  int64_t left = o.a.kept;
  for (; left >= kTurn; left -= kTurn) {
    o.copy->TakeTurn();
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) __builtin_prefetch(a[i] + at[kAhead]);
    for (int due = kNextRowsATurn; due > 0 && next_rows > 0; --due) {
      --next_rows;
      AskForRow<T, Vectors>(*next_c++);
    }
    for (int turn = 0; turn < kTurn; turn += kUnrolled) {
#pragma GCC unroll 8
      for (int u = 0; u < kUnrolled; ++u) step(u);
      at += kUnrolled;
    }
  }
  for (; left > 0; --left) {
    step(0);
    ++at;
  }
  if (!o.b_is_finite) {
    T zeros[Vectors * kLanes<T>];
    ZerosLeftOut(o, Vectors, zeros);
    ChangeSums<T>(StridedRows<const T>{zeros, 0}, kLanes<T>, sums,
                  [](Vec<T> zero, Vec<T> sum) { return Plus<T>(sum, zero); });
  }
  PutSums<T>(o, o.c, sums);
}

template <class T, int Vectors, int... Rows>
constexpr std::array<void (*)(const BlockSparseOperands<T>&), sizeof...(Rows)> BlockSparseBlocks(
    std::integer_sequence<int, Rows...>) {
  return {&BlockSparseBlock<T, Rows + 1, Vectors>...};
}

template <class T, int... Vectors>
constexpr auto AllBlockSparseBlocks(std::integer_sequence<int, Vectors...>) {
  return std::array{BlockSparseBlocks<T, Vectors + 1>(std::make_integer_sequence<int, kSparseTileRows>())...};
}

template <class T>
inline constexpr auto kBlockSparseBlocks = AllBlockSparseBlocks<T>(std::make_integer_sequence<int, kSparseVectors>());

}  // namespace internal

// `vectors` from 1 to kSparseVectors.
template <class T>
void RunBlockSparseBlock(int vectors, const BlockSparseOperands<T>& operands) {
  const auto row = static_cast<size_t>(operands.a.row_count - 1);
  internal::kBlockSparseBlocks<T>[static_cast<size_t>(vectors - 1)][row](operands);
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_BLOCK_SPARSE_KERNEL_H_
