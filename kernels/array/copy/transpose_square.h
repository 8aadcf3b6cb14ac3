// A square of lanes transposed in vector registers.
#ifndef DFRUN_KERNELS_ARRAY_COPY_TRANSPOSE_SQUARE_H_
#define DFRUN_KERNELS_ARRAY_COPY_TRANSPOSE_SQUARE_H_

#include <utility>

namespace dfrun {
namespace internal {

// The lane of two rows, one after the other, that moves to lane `to` in a step of TransposeSquare().
template <int kLanes, int kBlock, int kStep, bool kSecond>
constexpr int StepLane(int to) {
  const int block = to / kBlock;
  if (kStep >= kBlock) {  // the first row's even or odd blocks, then the other's
    constexpr int kHalf = kLanes / kBlock / 2;
    return to / kBlock / kHalf * kLanes + (2 * (block % kHalf) + kSecond) * kBlock + to % kBlock;
  }
  // Within a block, kStep lanes of each row in turn, of the block's first or second half.
  const int turn = to % kBlock / kStep;
  return turn % 2 * kLanes + block * kBlock + turn / 2 * kStep + (kSecond ? kBlock / 2 : 0) + to % kStep;
}

template <int kLanes, int kStep, class V, int... To>
[[gnu::always_inline]] inline void JoinRows(V& first, V& second, std::integer_sequence<int, To...>) {
  constexpr int kBlock = 16 / static_cast<int>(sizeof(V) / kLanes);
  const V a = first;
  const V b = second;
  first = __builtin_shufflevector(a, b, StepLane<kLanes, kBlock, kStep, false>(To)...);
  second = __builtin_shufflevector(a, b, StepLane<kLanes, kBlock, kStep, true>(To)...);
}

template <int kRows, int kStep, class V>
[[gnu::always_inline]] inline void TransposeSteps(V* rows) {
  constexpr int kLanes = static_cast<int>(sizeof(V) / sizeof(rows[0][0]));
  constexpr int kLaneStep = kStep * kLanes / kRows;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    if ((r & kStep) == 0)
      JoinRows<kLanes, kLaneStep>(rows[r], rows[r + kStep], std::make_integer_sequence<int, kLanes>());
  }
  if constexpr (2 * kStep < kRows) TransposeSteps<kRows, 2 * kStep>(rows);
}

}  // namespace internal

// V: a vector of the compiler's, of kRows elements of 4, 8 or 16 bytes, the last of two lanes. First within blocks of
// 16 bytes, then whole blocks: every step is an instruction that permutes without a register that says how, which takes
// AMD's Zen 4 half the time.
template <int kRows, class V>
[[gnu::always_inline]] inline void TransposeSquare(V* rows) {
  constexpr int kElementBytes = sizeof(V) / kRows;
  static_assert(kElementBytes == 4 || kElementBytes == 8 || kElementBytes == 16);
  internal::TransposeSteps<kRows, 1>(rows);
  if constexpr (kElementBytes == 4) {  // a block's columns are in the order 0, 2, 1, 3
#pragma GCC unroll 4
    for (int r = 0; r < kRows; r += 4) std::swap(rows[r + 1], rows[r + 2]);
  }
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_COPY_TRANSPOSE_SQUARE_H_
