// Panels of A and B, and the block of C that two panels give. Only where DFRUN_BF16 is defined.
#ifndef DFRUN_KERNELS_MATRIX_BF16_BLOCK_H_
#define DFRUN_KERNELS_MATRIX_BF16_BLOCK_H_

#include "kernels/matrix/bf16_pack.h"

#ifdef DFRUN_BF16
#include "src/framework/dtype.h"

namespace dfrun {

inline constexpr int64_t kTileSums = kTileLanes * kTileLanes;
inline constexpr int64_t kBlockSums = 4 * kTileSums;  // of two by two tiles: [row tile][column tile][row][column]

// Where a panel of A is.
struct PanelOfA {
  const uint16_t* data;
  int64_t row_bytes;  // from a tile's row to the next
  int64_t second;     // elements to the second tile
  int64_t step;       // elements to the next step over k
  int64_t rows;       // that C has; beyond them any numbers may stand
};

// A packed panel of B.
struct PanelOfB {
  const uint16_t* data;
  int64_t columns;  // that C has; beyond them any numbers may stand
};

// Lines of memory that a unit may ask for, in the second-level cache, while it multiplies: so many each step over k.
struct LinesAhead {
  const uint16_t* next = nullptr;
  int64_t each_step = 0;
};

// How a unit takes a part of C, by measurement.
struct PartShape {
  int64_t side;           // rows or columns of a part at most, which bound its copies and sums
  int64_t depth_at_once;  // the longest k of one pass; sums of more than one go through memory
  int64_t pass_depth;     // else
  int64_t block_rows;     // rows of A whose copies stay in the second-level cache while they meet all columns of B
};

// 32 x 32 of C, or what there is of that.
struct BlockOfC {
  bfloat16* data;
  int64_t stride;
  int64_t rows;
  int64_t columns;

  // The sums, rounded to nearest.
  void Store(const float* sums) const {
    if (rows == kPanelLanes && columns == kPanelLanes) {
      StoreRows(sums, kPanelLanes, [](bfloat16* to, __m512i row) { _mm512_storeu_si512(to, row); });
    } else {
      const auto mask = static_cast<__mmask32>((uint64_t{1} << columns) - 1);
      StoreRows(sums, rows, [mask](bfloat16* to, __m512i row) { _mm512_mask_storeu_epi16(to, mask, row); });
    }
  }

 private:
  template <class StoreRow>
  void StoreRows(const float* sums, int64_t count, StoreRow&& store) const {
    bfloat16* to = data;
    for (int64_t r = 0; r < count; ++r, to += stride, sums += kTileLanes) {
      if (r == kTileLanes) sums += kTileSums;  // of the second column tile beside the first
      const __m512bh both = _mm512_cvtne2ps_pbh(_mm512_load_ps(sums + kTileSums), _mm512_load_ps(sums));
      store(to, reinterpret_cast<__m512i>(both));
    }
  }
};

}  // namespace dfrun

#endif  // DFRUN_BF16

#endif  // DFRUN_KERNELS_MATRIX_BF16_BLOCK_H_
