// A block of C from two panels, on tile registers. Only where DFRUN_AMX is defined.
#ifndef DFRUN_KERNELS_MATRIX_AMX_BLOCK_H_
#define DFRUN_KERNELS_MATRIX_AMX_BLOCK_H_

#include "kernels/matrix/amx_pack.h"

#ifdef DFRUN_AMX
#include "src/framework/dtype.h"

namespace dfrun {

inline constexpr int64_t kTileSums = kTileLanes * kTileLanes;
inline constexpr int64_t kBlockSums = 4 * kTileSums;  // of two by two tiles

// Where a panel of A is.
struct PanelOfA {
  const uint16_t* data;
  int64_t row_bytes;  // from a tile's row to the next
  int64_t second;     // elements to the second tile
  int64_t step;       // elements to the next step over k
};

// sums[row tile][column tile][row][column] = the products of two panels over so many steps; added to what is there
// where the product continues. In a TileScope.
inline void MultiplyPanels(const PanelOfA& a, const uint16_t* b, int64_t steps, bool continues, float* sums) {
  constexpr int kRow = 64;        // bytes
  asm volatile("" ::: "memory");  // what is loaded was stored before, which the intrinsics' own asm does not say
  if (continues) {
    _tile_loadd(0, sums, kRow);
    _tile_loadd(1, sums + kTileSums, kRow);
    _tile_loadd(2, sums + 2 * kTileSums, kRow);
    _tile_loadd(3, sums + 3 * kTileSums, kRow);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  const uint16_t* from = a.data;
  for (int64_t i = 0; i < steps; ++i, from += a.step, b += kPanelStep) {
    _tile_loadd(6, b, kRow);
    _tile_loadd(4, from, a.row_bytes);
    _tile_loadd(7, b + kTileElements, kRow);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, from + a.second, a.row_bytes);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, sums, kRow);
  _tile_stored(1, sums + kTileSums, kRow);
  _tile_stored(2, sums + 2 * kTileSums, kRow);
  _tile_stored(3, sums + 3 * kTileSums, kRow);
}

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

#endif  // DFRUN_AMX

#endif  // DFRUN_KERNELS_MATRIX_AMX_BLOCK_H_
