// Matrices transposed tile by tile, in vector registers.
#ifndef DFRUN_KERNELS_ARRAY_COPY_TRANSPOSE_TILES_H_
#define DFRUN_KERNELS_ARRAY_COPY_TRANSPOSE_TILES_H_

#include <cstdint>

namespace dfrun {

// Rows that one call of TransposeTiles should have, or a multiple of them.
template <class E>
constexpr int64_t kTransposeRows = sizeof(E) <= 2 ? 256 : 512 / static_cast<int64_t>(sizeof(E));

// Columns of a strip, which are rows of its source: three lines of floats. 4096 x 4096 floats take 1.2 times as long
// with 32 on Zen 4; 64 rows or more, a multiple of 16 KiB apart, fill whole sets of its second-level cache.
template <class E>
constexpr int64_t kStripCols = sizeof(E) >= 4 ? 48 : 64;

// True where a result that is streamed is made by walking along the source's rows: a call of TransposeTiles should then
// have as many rows as there are, and kStripCols<E> columns. Asks for whole aligned cache lines.
template <class E>
bool IsStreamedInStrips(const E* to, int64_t to_stride, int64_t rows, int64_t cols);

// to[r * to_stride + c] = from[r + c * from_stride] for r in [0, rows), c in [0, cols), which are not empty.
// `stream`: the result is larger than the caches, and is written past them. Stores are complete when the call returns.
// Instantiated for uint8_t, uint16_t, uint32_t, uint64_t and Bytes16.
template <class E>
void TransposeTiles(const E* from, int64_t from_stride, E* to, int64_t to_stride, int64_t rows, int64_t cols,
                    bool stream);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_COPY_TRANSPOSE_TILES_H_
