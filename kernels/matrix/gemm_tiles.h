// How a large product is split over threads. Bounds depend on the shape alone.
#ifndef DFRUN_KERNELS_MATRIX_GEMM_TILES_H_
#define DFRUN_KERNELS_MATRIX_GEMM_TILES_H_

#include <algorithm>

#include "kernels/matrix/gemm.h"

namespace dfrun {

// Tiles of C of `rows` x `columns`; those at the end may be smaller.
struct GemmTiles {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t row_tiles = 1;
  int64_t column_tiles = 1;

  explicit GemmTiles(const GemmShape& shape);
  int64_t count() const { return row_tiles * column_tiles; }
};

// The part of C that tile i is: offsets and sizes.
struct GemmTile {
  int64_t row;
  int64_t column;
  int64_t rows;
  int64_t columns;

  GemmTile(const GemmShape& shape, const GemmTiles& tiles, int64_t i)
      : row(i / tiles.column_tiles * tiles.rows),
        column(i % tiles.column_tiles * tiles.columns),
        rows(std::min(tiles.rows, shape.m - row)),
        columns(std::min(tiles.columns, shape.n - column)) {}
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_GEMM_TILES_H_
