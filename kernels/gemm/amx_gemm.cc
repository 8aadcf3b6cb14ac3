#include "kernels/gemm/amx_gemm.h"

#include "kernels/gemm/amx_pack.h"

#ifdef DFRUN_AMX
#include "kernels/gemm/even_ranges.h"
#include "kernels/gemm/parallel_gemm.h"

namespace dfrun {
namespace {

// Multiplications worth a thread of their own, where it has to be woken, and where it looks for work.
constexpr int64_t kThreadWork = int64_t{4} << 20;
constexpr int64_t kReadyWork = int64_t{1} << 17;
// Panels along a side of a part of C, which bound its packed operands and sums.
constexpr int64_t kMaxPanels = 16;
// The longest k of one pass, whose panels of A and B stay in the first-level cache; of several passes, sums of which go
// through memory.
constexpr int64_t kOnePassDepth = 512;
constexpr int64_t kPassDepth = 256;
// A is read as it lies where its rows are no longer, and so share no sets of the caches, or where it is read once.
constexpr int64_t kUnpackedRowDepth = 256;
constexpr int64_t kUnpackedColumnPanels = 2;

constexpr int64_t kTileSums = kTileLanes * kTileLanes;
constexpr int64_t kBlockSums = 4 * kTileSums;  // sums of two by two tiles: [row tile][column tile][row][column]

// The address of a panel of A, with its strides.
struct PanelOfA {
  const uint16_t* data;
  int64_t row_bytes;  // from a tile's row to the next
  int64_t second;     // elements to the second tile
  int64_t step;       // elements to the next step over k
};

// sums = the products of two panels over `depth` elements of k, beyond which they are zero up to a whole step; if the
// product continues, they are added to `sums`. It runs in a TileScope.
void MultiplyPanels(const PanelOfA& a, const uint16_t* b, int64_t depth, bool continues, float* sums) {
  constexpr int kRow = 64;        // bytes
  asm volatile("" ::: "memory");  // the operands were stored before, which the intrinsics' own asm does not say
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
  for (int64_t p = 0; p < depth; p += kTileDepth, from += a.step, b += kPanelStep) {
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

// Stores sums, rounded to nearest, as 32 x 32 of C or the part of it that there is.
void StoreBlock(const float* sums, bfloat16* to, int64_t stride, int64_t rows, int64_t columns) {
  const auto mask = static_cast<__mmask32>((uint64_t{1} << columns) - 1);
  for (int64_t r = 0; r < rows; ++r, to += stride, sums += kTileLanes) {
    if (r == kTileLanes) sums += kTileSums;  // skips the second column tile, which was stored beside the first
    const __m512bh both = _mm512_cvtne2ps_pbh(_mm512_load_ps(sums + kTileSums), _mm512_load_ps(sums));
    _mm512_mask_storeu_epi16(to, mask, reinterpret_cast<__m512i>(both));
  }
}

// C = A B for a part of C by one thread, pass by pass over k: B is packed whole, then A, which meets all of B.
class AmxPart {
 public:
  AmxPart(const LaneView& a, const LaneView& b, bfloat16* c, int64_t stride)
      : a_(a),
        b_(b),
        c_(c),
        stride_(stride),
        depth_(a.depth <= kOnePassDepth ? a.depth : kPassDepth),
        row_panels_(CeilDiv(a.lanes, kPanelLanes)),
        column_panels_(CeilDiv(b.lanes, kPanelLanes)),
        unpacked_panels_(CanReadAsItLies() ? a.lanes / kPanelLanes : 0) {}

  // False where there is no memory.
  bool Run(Allocator& allocator) {
    const int64_t blocks = IsOnePass() ? 1 : row_panels_ * column_panels_;
    const int64_t panel = CeilDiv(depth_, kTileDepth) * kPanelStep;
    const int64_t packed = (column_panels_ + row_panels_ - unpacked_panels_) * panel;
    const size_t bytes =
        static_cast<size_t>(blocks * kBlockSums) * sizeof(float) + static_cast<size_t>(packed) * sizeof(uint16_t);
    void* const scratch = allocator.Allocate(bytes);
    if (scratch == nullptr) return false;
    sums_ = static_cast<float*>(scratch);
    packed_b_ = reinterpret_cast<uint16_t*>(sums_ + blocks * kBlockSums);
    packed_a_ = packed_b_ + column_panels_ * panel;
    const TileScope scope;
    for (int64_t p = 0; p < a_.depth; p += depth_) RunPass({p, std::min(depth_, a_.depth - p)});
    allocator.Free(scratch, bytes);
    return true;
  }

 private:
  bool IsOnePass() const { return depth_ == a_.depth; }
  bool CanReadAsItLies() const {
    return a_.by_lane && a_.depth % kTileDepth == 0 &&
           (a_.depth <= kUnpackedRowDepth || column_panels_ <= kUnpackedColumnPanels);
  }
  static int64_t PanelElements(const Range& pass) { return CeilDiv(pass.size, kTileDepth) * kPanelStep; }

  void RunPass(const Range& pass) {
    PackPanels<false>(b_.Part(0, b_.lanes, pass.begin, pass.size), packed_b_);
    const int64_t packed = unpacked_panels_ * kPanelLanes;
    if (packed < a_.lanes) PackPanels<true>(a_.Part(packed, a_.lanes, pass.begin, pass.size), packed_a_);
    for (int64_t j = 0; j < column_panels_; ++j) {
      for (int64_t i = 0; i < row_panels_; ++i) RunBlock(pass, i, j);
    }
  }

  void RunBlock(const Range& pass, int64_t i, int64_t j) {
    float* const sums = sums_ + (IsOnePass() ? 0 : (j * row_panels_ + i) * kBlockSums);
    const uint16_t* const b = packed_b_ + j * PanelElements(pass);
    MultiplyPanels(PanelOfRows(pass, i), b, pass.size, pass.begin > 0, sums);
    if (pass.end() < a_.depth) return;
    StoreBlock(sums, c_ + (i * stride_ + j) * kPanelLanes, stride_, std::min(a_.lanes - i * kPanelLanes, kPanelLanes),
               std::min(b_.lanes - j * kPanelLanes, kPanelLanes));
  }

  PanelOfA PanelOfRows(const Range& pass, int64_t i) const {
    constexpr int64_t kBytes = sizeof(uint16_t);
    if (i >= unpacked_panels_) {
      const uint16_t* const packed = packed_a_ + (i - unpacked_panels_) * PanelElements(pass);
      return {packed, kTileDepth * kBytes, kTileElements, kPanelStep};
    }
    const int64_t stride = a_.stride;
    return {a_.data + i * kPanelLanes * stride + pass.begin, stride * kBytes, kTileLanes * stride, kTileDepth};
  }

  const LaneView a_;
  const LaneView b_;
  bfloat16* const c_;
  const int64_t stride_;
  const int64_t depth_;  // elements of k in a pass
  const int64_t row_panels_;
  const int64_t column_panels_;
  const int64_t unpacked_panels_;  // panels of A that are read in place
  float* sums_ = nullptr;
  uint16_t* packed_a_ = nullptr;
  uint16_t* packed_b_ = nullptr;
};

// A side of C in parts of whole panels, of about the same size.
class PanelRanges {
 public:
  PanelRanges(int64_t lanes, int64_t least_parts)
      : lanes_(lanes), panels_(CeilDiv(lanes, kPanelLanes), Parts(CeilDiv(lanes, kPanelLanes), least_parts)) {}
  int64_t count() const { return panels_.count(); }
  Range At(int64_t i) const {
    const Range panels = panels_.At(i);
    const int64_t begin = panels.begin * kPanelLanes;
    return {begin, std::min(panels.size * kPanelLanes, lanes_ - begin)};
  }

 private:
  static int64_t Parts(int64_t panels, int64_t least) {
    return std::min(panels, std::max(least, CeilDiv(panels, kMaxPanels)));
  }

  int64_t lanes_;
  EvenRanges panels_;
};

class AmxGemm final : public Gemm<bfloat16> {
 public:
  explicit AmxGemm(const GemmShape& shape) : s_(shape) {}

  Status Run(const bfloat16* a, const bfloat16* b, bfloat16* c, ThreadPool& pool, Allocator& allocator) const override {
    const LaneView rows{Bits(a), s_.transpose_a ? s_.m : s_.k, !s_.transpose_a, s_.m, s_.k};
    const LaneView columns{Bits(b), s_.transpose_b ? s_.k : s_.n, s_.transpose_b, s_.n, s_.k};
    // The product is cut by columns if possible: each thread then packs its own part of B, and A may be read as it
    // lies.
    const int64_t woken = std::min<int64_t>(s_.work() / kThreadWork, pool.num_threads());
    const int64_t ready = std::min<int64_t>(s_.work() / kReadyWork, pool.ready_threads());
    const int64_t wanted = std::max<int64_t>({1, woken, ready});
    const PanelRanges across(s_.n, wanted);
    const PanelRanges down(s_.m, wanted / across.count());
    return RunTiles(down.count() * across.count(), pool, [&](int64_t i) {
      const Range row = down.At(i / across.count());
      const Range column = across.At(i % across.count());
      AmxPart part(rows.Part(row.begin, row.size, 0, s_.k), columns.Part(column.begin, column.size, 0, s_.k),
                   c + row.begin * s_.n + column.begin, s_.n);
      return part.Run(allocator);
    });
  }

 private:
  static const uint16_t* Bits(const bfloat16* values) { return reinterpret_cast<const uint16_t*>(values); }

  const GemmShape s_;
};

}  // namespace

std::shared_ptr<const Gemm<bfloat16>> MakeAmxGemm(const GemmShape& shape) {
  return MayUseTiles() ? std::make_shared<AmxGemm>(shape) : nullptr;
}

#else
namespace dfrun {

std::shared_ptr<const Gemm<bfloat16>> MakeAmxGemm(const GemmShape&) {
  return nullptr;
}

#endif  // DFRUN_AMX

}  // namespace dfrun
