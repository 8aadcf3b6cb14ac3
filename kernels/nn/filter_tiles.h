// A filter's way into the order that oneDNN's kernels for a convolution's input gradient want, by squares that are
// transposed in registers: the library's own reordering, whose steps in memory are of one element, takes twice as long.
#ifndef DFRUN_KERNELS_NN_FILTER_TILES_H_
#define DFRUN_KERNELS_NN_FILTER_TILES_H_

#include "kernels/matrix/panel_pack.h"
#include "src/base/threads.h"

namespace dfrun {

// Input and output channels of a tile, as the library names it (ABcd16a16b).
constexpr int64_t kFilterTile = 16;
// Where a tile is a square of registers.
constexpr bool kHasFilterTiles = kLanes<float> == kFilterTile;

// tiles[out / 16][in / 16][tap][16 out][16 in] = filter[tap][in][out]. Channels are multiples of the tile's.
inline void PackFilterTiles(const float* filter, int64_t taps, int64_t in_channels, int64_t out_channels, float* tiles,
                            ThreadPool& pool) {
  constexpr int64_t kRows = kFilterTile;
  constexpr int64_t kElements = kRows * kRows;
  constexpr int64_t kBlock = 65536;  // elements worth handing to another thread
  const int64_t ins = in_channels / kRows;
  pool.ParallelFor(taps * ins, kBlock / (kRows * out_channels) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {  // tap * ins + in / 16: the filter's order
      for (int64_t out = 0; out < out_channels / kRows; ++out) {
        float* to = tiles + ((out * ins + i % ins) * taps + i / ins) * kElements;
        internal::PackSquare(filter + i * kRows * out_channels + out * kRows, out_channels, kRows, kRows, to, kRows);
      }
    }
  });
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_FILTER_TILES_H_
