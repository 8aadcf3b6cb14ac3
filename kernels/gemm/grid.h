// Grid: the tiles of C that threads take.
#ifndef DFRUN_KERNELS_GEMM_GRID_H_
#define DFRUN_KERNELS_GEMM_GRID_H_

#include <cstdint>

#include "kernels/gemm/gemm.h"

namespace dfrun {

// A grid of `rows` by `columns` tiles, nearly equal in size.
struct Grid {
  struct Tile {
    int64_t row;
    int64_t rows;
    int64_t column;
    int64_t columns;
  };

  int64_t count() const { return rows * columns; }
  // The i-th of C's tiles.
  Tile At(const GemmShape& shape, int64_t i) const;

  int64_t rows = 1;
  int64_t columns = 1;
  int64_t step = 1;  // tiles begin at multiples of this
};

// The grid of products by UnpackedGemm(). The longer side is cut, so that its operand is not read by every thread; and
// a layer's output, its gradient and its bias's are read where they were written. No element's bits depend on it.
Grid GridOfUnpacked(const GemmShape& shape, const ThreadPool& pool);

// The grid of products by SerialGemm for a number of threads. `packed`: by GemmAlgorithm::kPacked, which wants many
// columns. No element's bits depend on it.
Grid GridForThreads(const GemmShape& shape, int threads, bool packed);

// The grid that follows from the shape alone, for products whose bits depend on it.
Grid GridOfShape(const GemmShape& shape);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_GRID_H_
