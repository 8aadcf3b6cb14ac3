// The micro-kernel of operands that are both packed in the order in which it reads them; it packs more of them
// meanwhile. Bits as those of the one for operands that are not.
#ifndef DFRUN_KERNELS_GEMM_PACKED_UKERNEL_H_
#define DFRUN_KERNELS_GEMM_PACKED_UKERNEL_H_

#include <array>
#include <utility>

#include "kernels/gemm/block_sums.h"
#include "kernels/gemm/packers.h"
#include "kernels/gemm/tuning.h"

namespace dfrun {

// The packing and prefetching done while a block is multiplied.
template <class T>
struct OverlappedWork {
  PanelPacker<T> panel;
  TilePacker<T> tile;
  // The rows of the block of C that comes next, which are prefetched, or loading them would be waited for.
  T* const* next_c = nullptr;
  int64_t next_rows = 0;
  int64_t next_rows_a_turn = 1;  // so that they are prefetched within one block's turns
};

template <class T>
struct PackedUkernelOperands : BlockOutput<T> {
  const T* a;  // packed by TilePacker
  bool transposed_a;
  const T* b;  // packed by PanelPacker
  int64_t depth;
  T* const* c;  // beginnings of the block's rows of C
  OverlappedWork<T>* overlapped;
};

namespace internal {

template <class T, bool kTransposedA, int Rows, int Vectors>
void PackedUkernel(const PackedUkernelOperands<T>& o) {
  constexpr int kUnrolled = std::min(8, kTurnDepth<T>);
  // A is prefetched: without that, products from the second-level cache take 7 to 10% longer. B is one stream, which
  // the processor follows itself: prefetching it too only takes power, and with it clock.
  constexpr int kTurnsAhead = 2;
  constexpr int kRowStep = kTransposedA ? 1 : kTurnDepth<T>;
  constexpr int kDepthStep = kTransposedA ? kBlockRows : 1;
  Vec<T> sums[Rows][Vectors];
  BeginSums<T>(o, o.c, sums);
  const T* a = o.a;
  const T* a_ahead = o.a + kTurnsAhead * kTurnDepth<T> * kBlockRows;
  const T* b = o.b;
  const auto step = [&](int u) __attribute__((always_inline)) {
    Vec<T> row[Vectors];
    __builtin_prefetch(a_ahead + u * kBlockRows);
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j) row[j] = Load(b + (u * Vectors + j) * kLanes<T>);
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
      const Vec<T> factor = Broadcast<T>(a[i * kRowStep + u * kDepthStep]);
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j) AddProduct<T>(sums[i][j], factor, row[j]);
    }
    asm volatile("" ::: "memory");  // steps that the compiler mixes take more registers than there are
  };
  const auto advance = [&](int steps) __attribute__((always_inline)) {
    a += steps * kDepthStep;
    a_ahead += steps * kBlockRows;
    b += steps * Vectors * kLanes<T>;
  };
  OverlappedWork<T>& work = *o.overlapped;
  T* const* next_c = work.next_c;
  int64_t next_rows = work.next_rows;
  int64_t left = o.depth;
  for (; left >= kTurnDepth<T>; left -= kTurnDepth<T>) {
    work.panel.TakeTurn();
    work.tile.TakeTurn();
    for (int64_t due = work.next_rows_a_turn; due > 0 && next_rows > 0; --due) {
      --next_rows;
      PrefetchRow<T, Vectors>(*next_c++);
    }
    for (int turn = 0; turn < kTurnDepth<T>; turn += kUnrolled) {
#pragma GCC unroll 8
      for (int u = 0; u < kUnrolled; ++u) step(u);
      advance(kUnrolled);
    }
    a += kTurnDepth<T> * (kBlockRows - kDepthStep);
  }
  for (; left > 0; --left) {
    step(0);
    advance(1);
  }
  PutSums<T>(o, o.c, sums);
}

template <class T, bool kTransposedA, int Vectors, int... Rows>
constexpr std::array<void (*)(const PackedUkernelOperands<T>&), sizeof...(Rows)> PackedUkernels(
    std::integer_sequence<int, Rows...>) {
  return {&PackedUkernel<T, kTransposedA, Rows + 1, Vectors>...};
}

template <class T, bool kTransposedA>
inline constexpr std::array kPackedUkernels = {
    PackedUkernels<T, kTransposedA, 1>(std::make_integer_sequence<int, kBlockRows>()),
    PackedUkernels<T, kTransposedA, 2>(std::make_integer_sequence<int, kBlockRows>()),
    PackedUkernels<T, kTransposedA, kMaxVectors>(std::make_integer_sequence<int, kBlockRows>())};

}  // namespace internal

// `rows` from 1 to kBlockRows, `vectors` from 1 to kMaxVectors.
template <class T>
void RunPackedUkernel(int64_t rows, int vectors, const PackedUkernelOperands<T>& operands) {
  const auto& blocks = operands.transposed_a ? internal::kPackedUkernels<T, true> : internal::kPackedUkernels<T, false>;
  blocks[static_cast<size_t>(vectors - 1)][static_cast<size_t>(rows - 1)](operands);
}

// Compiled with PackedGemm.
extern template void RunPackedUkernel<float>(int64_t, int, const PackedUkernelOperands<float>&);
extern template void RunPackedUkernel<double>(int64_t, int, const PackedUkernelOperands<double>&);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_PACKED_UKERNEL_H_
