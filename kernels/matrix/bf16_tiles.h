// Products of panels on tile registers. Only where DFRUN_AMX is defined.
#ifndef DFRUN_KERNELS_MATRIX_BF16_TILES_H_
#define DFRUN_KERNELS_MATRIX_BF16_TILES_H_

#include "kernels/matrix/amx_tiles.h"
#include "kernels/matrix/bf16_block.h"

#ifdef DFRUN_AMX

namespace dfrun {

struct TileUnit {
  using Scope = TileScope;
  // Panels of A and B stay in the first cache.
  static constexpr PartShape kPartShape{.side = 512, .depth_at_once = 512, .pass_depth = 256, .block_rows = 512};
  static constexpr int64_t kGroupRows = kPanelLanes;  // of a panel that pass over k together
  static bool IsThere() { return MayUseTiles(); }

  // sums = the products of two panels over `depth` elements of k, beyond which they are zero up to a whole step; added
  // to what is there where the product continues. In a Scope. Asks for no lines, which makes it slower.
  static void Multiply(const PanelOfA& a, const PanelOfB& b, int64_t depth, bool continues, float* sums, LinesAhead&) {
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
    const uint16_t* with = b.data;
    for (int64_t p = 0; p < depth; p += kTileDepth, from += a.step, with += kPanelStep) {
      _tile_loadd(6, with, kRow);
      _tile_loadd(4, from, a.row_bytes);
      _tile_loadd(7, with + kTileElements, kRow);
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
};

}  // namespace dfrun

#endif  // DFRUN_AMX

#endif  // DFRUN_KERNELS_MATRIX_BF16_TILES_H_
