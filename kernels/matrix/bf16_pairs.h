// Products of panels by vectors of pairs. Only where DFRUN_BF16 is defined.
#ifndef DFRUN_KERNELS_MATRIX_BF16_PAIRS_H_
#define DFRUN_KERNELS_MATRIX_BF16_PAIRS_H_

#include "kernels/matrix/bf16_block.h"

#ifdef DFRUN_BF16

namespace dfrun {

struct PairUnit {
  struct Scope {};
  static bool IsThere() { return true; }

  // sums = the products of two panels over so many steps; added to what is there where the product continues. Sums of
  // rows beyond those of C are left as they are, if they do not share a group with such a row.
  static void Multiply(const PanelOfA& a, const uint16_t* b, int64_t steps, bool continues, float* sums) {
    const uint16_t* from = a.data;
    for (int64_t row = 0; row < a.rows; row += kGroupRows, sums += kGroupRows * kTileLanes) {
      if (row == kTileLanes) {
        from = a.data + a.second;
        sums += kTileSums;  // of the second column tile beside the first
      }
      MultiplyRows(from, a, b, steps, continues, sums);
      from += kGroupRows * a.row_bytes / static_cast<int64_t>(sizeof(uint16_t));
    }
  }

 private:
  // 8 rows of two vectors are 16 sums: more than the latency of a multiplication times those that begin in a cycle.
  static constexpr int64_t kGroupRows = 8;

  static void MultiplyRows(const uint16_t* from, const PanelOfA& a, const uint16_t* b, int64_t steps, bool continues,
                           float* sums) {
    __m512 left[kGroupRows] = {};
    __m512 right[kGroupRows] = {};
    if (continues) {
#pragma GCC unroll 8
      for (int64_t r = 0; r < kGroupRows; ++r) {
        left[r] = _mm512_load_ps(sums + r * kTileLanes);
        right[r] = _mm512_load_ps(sums + kTileSums + r * kTileLanes);
      }
    }
    const auto* at = reinterpret_cast<const std::byte*>(from);
    for (int64_t i = 0; i < steps; ++i, at += a.step * static_cast<int64_t>(sizeof(uint16_t)), b += kPanelStep) {
#pragma GCC unroll 2
      for (int64_t pair = 0; pair < kTileDepth / 2; ++pair) {
        const auto b_left = reinterpret_cast<__m512bh>(_mm512_load_si512(b + pair * kTileDepth));
        const auto b_right = reinterpret_cast<__m512bh>(_mm512_load_si512(b + kTileElements + pair * kTileDepth));
#pragma GCC unroll 8
        for (int64_t r = 0; r < kGroupRows; ++r) {
          int32_t both;
          std::memcpy(&both, at + r * a.row_bytes + pair * static_cast<int64_t>(sizeof(both)), sizeof(both));
          const auto of_row = reinterpret_cast<__m512bh>(_mm512_set1_epi32(both));
          left[r] = _mm512_dpbf16_ps(left[r], of_row, b_left);
          right[r] = _mm512_dpbf16_ps(right[r], of_row, b_right);
        }
      }
    }
#pragma GCC unroll 8
    for (int64_t r = 0; r < kGroupRows; ++r) {
      _mm512_store_ps(sums + r * kTileLanes, left[r]);
      _mm512_store_ps(sums + kTileSums + r * kTileLanes, right[r]);
    }
  }
};

}  // namespace dfrun

#endif  // DFRUN_BF16

#endif  // DFRUN_KERNELS_MATRIX_BF16_PAIRS_H_
