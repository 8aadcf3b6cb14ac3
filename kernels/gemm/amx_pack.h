// Packs bfloat16 operands in the order in which tile registers are loaded. Only where DFRUN_AMX is defined.
//
// A tile of A has a row of 32 elements of k for each of 16 rows of A. A tile of B has a row for each of 16 pairs of
// elements of k, with the pairs of 16 columns of B. A panel is two tiles side by side, over all of k.
#ifndef DFRUN_KERNELS_GEMM_AMX_PACK_H_
#define DFRUN_KERNELS_GEMM_AMX_PACK_H_

#include "kernels/gemm/amx_tiles.h"

#ifdef DFRUN_AMX
#include <algorithm>
#include <array>

#include "kernels/gemm/pack.h"
#include "src/base/integers.h"

namespace dfrun {

inline constexpr int64_t kTileLanes = 16;
inline constexpr int64_t kTileDepth = 32;
inline constexpr int64_t kTileElements = kTileLanes * kTileDepth;
inline constexpr int64_t kPanelLanes = 2 * kTileLanes;
inline constexpr int64_t kPanelStep = 2 * kTileElements;  // from one step over k to the next

// The bits of an operand's lanes: rows of A, columns of B.
struct LaneView {
  const uint16_t* data;
  int64_t stride;  // between lanes, or between elements of one
  bool by_lane;    // the elements of a lane follow each other
  int64_t lanes;
  int64_t depth;  // elements of a lane

  // The part that begins at the given lane and element, of so many lanes and elements at most.
  LaneView Part(int64_t lane, int64_t most_lanes, int64_t p, int64_t most_depth) const {
    return {data + (by_lane ? lane * stride + p : p * stride + lane), stride, by_lane,
            std::min(lanes - lane, most_lanes), std::min(depth - p, most_depth)};
  }
};

namespace internal {

using PairVec = Vec<uint32_t>;

// The first `count` elements of 32, none if it is not above zero; the others are zero.
inline __m512i LoadBits(const uint16_t* from, int64_t count) {
  if (count >= kTileDepth) return _mm512_loadu_si512(from);
  return _mm512_maskz_loadu_epi16(static_cast<__mmask32>((uint64_t{1} << std::max<int64_t>(count, 0)) - 1), from);
}

inline void StoreTransposed(PairVec* rows, uint16_t* to) {
  TransposeSquare<kTileLanes>(rows);
#pragma GCC unroll 16
  for (int r = 0; r < kTileLanes; ++r) _mm512_store_si512(to + r * kTileDepth, reinterpret_cast<__m512i>(rows[r]));
}

// The pairs of lanes 16 * tile to 16 * tile + 15, from two neighbouring elements of k.
inline __m512i PairUp(__m512i even, __m512i odd, int64_t tile) {
  alignas(64) static constexpr auto kOrder = [] {
    std::array<uint16_t, 64> order{};
    for (uint16_t i = 0; i < 64; ++i) order[i] = static_cast<uint16_t>(i / 2 + i % 2 * 32);
    return order;
  }();
  return _mm512_permutex2var_epi16(even, _mm512_load_si512(kOrder.data() + tile * kTileDepth), odd);
}

// Packs lanes that lie side by side, element by element. kIsA: tiles of A. kIsWhole: two tiles' lanes and a step's
// depth are there.
template <bool kIsA, bool kIsWhole>
void PackAcross(const LaneView& v, uint16_t* to) {
  PairVec tiles[2][kTileLanes];
  const auto load = [&](int64_t p) {
    if (kIsWhole) return _mm512_loadu_si512(v.data + p * v.stride);
    return p < v.depth ? LoadBits(v.data + p * v.stride, v.lanes) : __m512i{};
  };
#pragma GCC unroll 16
  for (int64_t p = 0; p < kTileLanes; ++p) {
    const __m512i even = load(2 * p);
    const __m512i odd = load(2 * p + 1);
#pragma GCC unroll 2
    for (int64_t tile = 0; tile < 2; ++tile) {
      const __m512i pairs = PairUp(even, odd, tile);
      if (kIsA) {
        tiles[tile][p] = reinterpret_cast<PairVec>(pairs);
      } else {
        _mm512_store_si512(to + tile * kTileElements + p * kTileDepth, pairs);
      }
    }
  }
  if (!kIsA) return;
  for (int64_t tile = 0; tile < 2; ++tile) StoreTransposed(tiles[tile], to + tile * kTileElements);
}

// Packs lanes each of whose elements lie one after the other.
template <bool kIsA, bool kIsWhole>
void PackAlong(const LaneView& v, uint16_t* to) {
  for (int64_t tile = 0; tile < 2; ++tile, to += kTileElements) {
    PairVec rows[kTileLanes];
#pragma GCC unroll 16
    for (int64_t l = 0; l < kTileLanes; ++l) {
      const int64_t lane = tile * kTileLanes + l;
      const uint16_t* from = v.data + lane * v.stride;
      const __m512i row = kIsWhole ? _mm512_loadu_si512(from) : lane < v.lanes ? LoadBits(from, v.depth) : __m512i{};
      if (kIsA) {
        _mm512_store_si512(to + l * kTileDepth, row);
      } else {
        rows[l] = reinterpret_cast<PairVec>(row);
      }
    }
    if (!kIsA) StoreTransposed(rows, to);
  }
}

template <bool kIsA>
void PackStep(const LaneView& v, uint16_t* to) {
  const bool is_whole = v.lanes == kPanelLanes && v.depth == kTileDepth;
  if (v.by_lane) {
    is_whole ? PackAlong<kIsA, true>(v, to) : PackAlong<kIsA, false>(v, to);
  } else {
    is_whole ? PackAcross<kIsA, true>(v, to) : PackAcross<kIsA, false>(v, to);
  }
}

}  // namespace internal

// Copies all of a view's panels, in the order of memory: to[panel][step][tile]. Zeros fill the missing lanes and steps
// at the end. kIsA: tiles of A.
template <bool kIsA>
void PackPanels(const LaneView& v, uint16_t* to) {
  const int64_t steps = CeilDiv(v.depth, kTileDepth);
  const int64_t panels = CeilDiv(v.lanes, kPanelLanes);
  for (int64_t n = 0; n < steps * panels; ++n) {
    const int64_t step = v.by_lane ? n % steps : n / panels;
    const int64_t panel = v.by_lane ? n / steps : n % panels;
    const LaneView part = v.Part(panel * kPanelLanes, kPanelLanes, step * kTileDepth, kTileDepth);
    internal::PackStep<kIsA>(part, to + (panel * steps + step) * kPanelStep);
  }
}

}  // namespace dfrun

#endif  // DFRUN_AMX

#endif  // DFRUN_KERNELS_GEMM_AMX_PACK_H_
