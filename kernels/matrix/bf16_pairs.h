// Products of panels by vectors of pairs. Only where DFRUN_BF16 is defined.
#ifndef DFRUN_KERNELS_MATRIX_BF16_PAIRS_H_
#define DFRUN_KERNELS_MATRIX_BF16_PAIRS_H_

#include "kernels/matrix/bf16_block.h"

#ifdef DFRUN_BF16

namespace dfrun {

struct PairUnit {
  struct Scope {};
  // Blocks of A and a panel of B in the second-level cache; the next panel comes from the third meanwhile.
  static constexpr PartShape kPartShape{.side = 2048, .depth_at_once = 2048, .pass_depth = 2048, .block_rows = 128};
  // Of a panel that pass over k together: two vectors each are 16 sums, more than a multiplication's latency.
  static constexpr int64_t kGroupRows = 8;
  static bool IsThere() { return true; }

  // sums = the products of two panels over `depth` elements of k, of which the last pair may end in zeros; added to
  // what is there where the product continues. What is not of C, beyond groups of rows and halves of columns, stays as
  // it is.
  static void Multiply(const PanelOfA& a, const PanelOfB& b, int64_t depth, bool continues, float* sums,
                       LinesAhead& ahead) {
    const auto multiply = b.columns > kTileLanes ? &MultiplyRows<true> : &MultiplyRows<false>;
    const uint16_t* from = a.data;
    for (int64_t row = 0; row < a.rows; row += kGroupRows, sums += kGroupRows * kTileLanes) {
      if (row == kTileLanes) {
        from = a.data + a.second;
        sums += kTileSums;  // of the second column tile beside the first
      }
      multiply(reinterpret_cast<const std::byte*>(from), a, b.data, depth, continues, sums, ahead);
      from += kGroupRows * a.row_bytes / static_cast<int64_t>(sizeof(uint16_t));
    }
  }

 private:
  // kBoth: of 32 columns, else of 16.
  template <bool kBoth>
  static void MultiplyRows(const std::byte* from, const PanelOfA& a, const uint16_t* b, int64_t depth, bool continues,
                           float* sums, LinesAhead& ahead) {
    __m512 left[kGroupRows] = {};
    __m512 right[kGroupRows] = {};
    if (continues) {
#pragma GCC unroll 8
      for (int64_t r = 0; r < kGroupRows; ++r) {
        left[r] = _mm512_load_ps(sums + r * kTileLanes);
        if (kBoth) right[r] = _mm512_load_ps(sums + kTileSums + r * kTileLanes);
      }
    }
    const auto step = [&, row_bytes = a.row_bytes](int64_t pairs) {
#pragma GCC unroll 2
      for (int64_t pair = 0; pair < pairs; ++pair) {
        const __m512bh b_left = LoadPairs(b + pair * kTileDepth);
        const __m512bh b_right = kBoth ? LoadPairs(b + kTileElements + pair * kTileDepth) : __m512bh{};
#pragma GCC unroll 8
        for (int64_t r = 0; r < kGroupRows; ++r) {
          int32_t both;
          std::memcpy(&both, from + r * row_bytes + pair * static_cast<int64_t>(sizeof(both)), sizeof(both));
          const auto of_row = reinterpret_cast<__m512bh>(_mm512_set1_epi32(both));
          left[r] = _mm512_dpbf16_ps(left[r], of_row, b_left);
          if (kBoth) right[r] = _mm512_dpbf16_ps(right[r], of_row, b_right);
        }
      }
    };
    const int64_t step_bytes = a.step * static_cast<int64_t>(sizeof(uint16_t));
    for (; depth >= kTileDepth; depth -= kTileDepth, from += step_bytes, b += kPanelStep) {
      for (int64_t i = 0; i < ahead.each_step; ++i, ahead.next += kLine) _mm_prefetch(ahead.next, _MM_HINT_T1);
      step(kTileDepth / 2);
    }
    step(CeilDiv<int64_t>(depth, 2));
#pragma GCC unroll 8
    for (int64_t r = 0; r < kGroupRows; ++r) {
      _mm512_store_ps(sums + r * kTileLanes, left[r]);
      if (kBoth) _mm512_store_ps(sums + kTileSums + r * kTileLanes, right[r]);
    }
  }

  static constexpr int64_t kLine = 32;  // elements

  static __m512bh LoadPairs(const uint16_t* from) {
    return reinterpret_cast<__m512bh>(_mm512_load_si512(from));
  }
};

}  // namespace dfrun

#endif  // DFRUN_BF16

#endif  // DFRUN_KERNELS_MATRIX_BF16_PAIRS_H_
