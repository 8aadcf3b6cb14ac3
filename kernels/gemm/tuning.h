// The sizes and limits by which products are cut, packed and shared out, each by measurement. None changes a bit of a
// float product.
#ifndef DFRUN_KERNELS_GEMM_TUNING_H_
#define DFRUN_KERNELS_GEMM_TUNING_H_

#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "kernels/gemm/simd.h"

namespace dfrun {

// --- Registers ---

// Widest block of C, in vectors, where the panel of B comes from the second-level cache: three leave the most products
// to a vector of B.
inline constexpr int kMaxVectors = 3;
// Widest block where the panel is in the first-level cache: four vectors leave the fewest loads a product.
inline constexpr int kMaxVectorsAtHand = kVectorRegisters == 32 ? 4 : kMaxVectors;
// Rows of such a block: accumulators, the row of B and one element of A must fit in the registers; and rows that lie a
// multiple of 4 KiB apart share a set of the first-level cache, which has room for 12 lines or fewer.
constexpr int MaxRows(int vectors) {
  return std::min((kVectorRegisters - vectors - 1) / vectors, 10);
}

// Rows and columns of a block of packed operands.
inline constexpr int kBlockRows = MaxRows(kMaxVectors);
template <class T>
inline constexpr int64_t kPanelColumns = int64_t{kMaxVectors} * kLanes<T>;

// --- Caches ---

inline int64_t SecondLevelBytes() {
  static const int64_t bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes;
}
// Rows of A beside prepacked panels, and a smaller operand that is prepacked.
inline int64_t PrepackedBytes() {
  return std::clamp<int64_t>(SecondLevelBytes() / 4 * 3, int64_t{1} << 20, int64_t{1} << 21);
}
// Elements of a transposed B that are prepacked at a time. They come from the third-level cache.
inline constexpr int64_t kPrepackedElements = int64_t{1} << 20;
// A's packed rows; the rest of the second-level cache is for panels of B and C.
inline int64_t PackedBytesOfA() {
  return std::clamp<int64_t>(SecondLevelBytes() / 8 * 5, int64_t{1} << 19, int64_t{1} << 21);
}
// Operands that take no more stay in the second-level cache beside each other and C.
inline int64_t SmallBytes() {
  return SecondLevelBytes() / 4;
}
// Rows that lie farther apart are packed before they are multiplied.
inline constexpr int64_t kFarBytes = 1024;

// --- Passes over k ---

// Longest pass over unpacked operands: a panel of 256 x 48 floats stays in the second-level cache.
inline constexpr int64_t kUnpackedDepth = 256;
// Longest of packed operands where C is stored, which the next pass reads again.
inline constexpr int64_t kPackedDepth = 768;
// --- The choice of an algorithm ---

// One thread's UnpackedGemm() is the fastest way of at most so many multiplications (128^3).
inline constexpr int64_t kUnpackedWork = int64_t{1} << 21;
// Up to so many steps over k, unpacked products are the fastest: 64 take 0.87 to 1.05 of the time of the other ways, 32
// 0.8 to 1.07, 16 0.65 to 0.9.
inline constexpr int64_t kShallowDepth = 64;
// Rows of A that an unpacked product takes at a time: they stay in the second-level cache with theirs of C.
inline constexpr int64_t kUnpackedRows = 256;
// Rows of A that pay for packing B: fewer read its rows where they lie, although they are far apart. So few columns do
// not pay for packing A.
inline constexpr int64_t kRowsWorthPacking = 64;
inline constexpr int64_t kMinPackedColumns = 240;
// Steps over k beyond which a transposed B is packed in passes; fewer leave room for rows of A in the cache.
inline constexpr int64_t kPrepackedDepth = 2048;
// Rows of A that are too few to fill the vectors of C^T, so that a transposed B is read square by square.
inline constexpr int64_t kRowsBySquares = 4;
// Rows of C^T that are computed before they are transposed: whole vectors of C's columns.
inline constexpr int64_t kTransposedRows = 112;
// C of fewer columns than a vector is computed as its transpose where it has so many vectors of rows.
inline constexpr int64_t kVectorsWorthTransposing = 4;

// --- Threads ---

// The least work of a tile of an unpacked product: some 10 us if threads have to be woken; else 2.5 us, twice the time
// in which a thread that looks for work sees it.
inline constexpr int64_t kUnpackedTileWork = int64_t{1} << 19;
inline constexpr int64_t kReadyTileWork = int64_t{1} << 17;
inline constexpr int64_t kUnpackedTileRows = 32;
inline constexpr int64_t kUnpackedTileColumns = 128;
// The least work of other tiles, and the work that makes several tiles a thread worthwhile: each packs operands, but
// the threads do not run at one speed.
inline constexpr int64_t kThreadTileWork = int64_t{4} << 20;
inline constexpr int64_t kUnevenWork = int64_t{96} << 20;
inline constexpr int64_t kTilesAThread = 4;
inline constexpr int64_t kThreadTileRows = 64;
inline constexpr int64_t kThreadTileColumns = 96;
// The least rows and columns of a tile whose operands are both packed: fewer rows do not pay for copies of B. For [128,
// 1024] x [1024, 1024], halves of the columns take 0.95 of the time of halves of the rows.
inline constexpr int64_t kPackedTileRows = 256;
inline constexpr int64_t kPackedTileColumns = 240;
// Elements of a C that stays in the second-level cache.
inline constexpr int64_t kCachedElementsOfC = int64_t{1} << 18;
// Tiles of a product by oneDNN, which follow the shape alone; one of this much work takes 100 us, far more than the 20
// until a woken thread runs. They have whole rows of C where there are rows enough: oneDNN then reads B as it is, where
// for a part of its columns it copies it. In GF on tiles of [1024, 1024] in bfloat16: 256 rows of all columns 1018, as
// the whole; 512 x 512 830; 256 x 256 820. Fewer rows reuse too little of B: 128 of all columns 12% less.
inline constexpr int64_t kLibraryTileWork = int64_t{8} << 20;
inline constexpr int64_t kLibraryTileRows = 256;
inline constexpr int64_t kFewLibraryTileRows = 128;  // else a product of few tiles is one thread's
inline constexpr int64_t kLibraryTileColumns = 512;
inline constexpr int64_t kEnoughLibraryTiles = 4;
inline constexpr int64_t kMaxLibraryTiles = 256;
// The work of a part of a product of prepacked panels: it takes some 40 us.
inline constexpr int64_t kPrepackedPartWork = int64_t{4} << 20;

// --- Sums of products ---

// A block of the sum, which stays in the first caches while all products are added to it.
inline constexpr int64_t kSumBlockRows = 256;
inline constexpr int64_t kSumBlockColumns = 64;

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_TUNING_H_
