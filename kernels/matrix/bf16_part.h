// A part of a product of bfloat16 by one thread. Only where DFRUN_BF16 is defined.
#ifndef DFRUN_KERNELS_MATRIX_BF16_PART_H_
#define DFRUN_KERNELS_MATRIX_BF16_PART_H_

#include "kernels/matrix/bf16_block.h"

#ifdef DFRUN_BF16
#include "src/framework/allocator.h"

namespace dfrun {

// C = A B for a part of C whose sums and operands stay in the second-level cache, pass by pass over k. Unit: what
// multiplies panels, TileUnit or PairUnit.
template <class Unit>
class PartOfProduct {
 public:
  PartOfProduct(const LaneView& a, const LaneView& b, bfloat16* c, int64_t stride)
      : a_(a),
        b_(b),
        c_(c),
        stride_(stride),
        depth_(a.depth <= kMostDepthAtOnce ? a.depth : kPassDepth),
        row_panels_(CeilDiv(a.lanes, kPanelLanes)),
        column_panels_(CeilDiv(b.lanes, kPanelLanes)),
        direct_panels_(CanReadAsItLies() ? a.lanes / kPanelLanes : 0) {}

  // False where there is no memory.
  bool Run(Allocator& allocator) {
    const int64_t blocks = depth_ < a_.depth ? row_panels_ * column_panels_ : 1;
    const int64_t panel = CeilDiv(depth_, kTileDepth) * kPanelStep;
    const int64_t packed = (column_panels_ + row_panels_ - direct_panels_) * panel;
    const size_t bytes =
        static_cast<size_t>(blocks * kBlockSums) * sizeof(float) + static_cast<size_t>(packed) * sizeof(uint16_t);
    void* const scratch = allocator.Allocate(bytes);
    if (scratch == nullptr) return false;
    sums_ = static_cast<float*>(scratch);
    packed_b_ = reinterpret_cast<uint16_t*>(sums_ + blocks * kBlockSums);
    packed_a_ = packed_b_ + column_panels_ * panel;
    [[maybe_unused]] const typename Unit::Scope scope;
    for (int64_t p = 0; p < a_.depth; p += depth_) RunPass(p);
    allocator.Free(scratch, bytes);
    return true;
  }

 private:
  // A pass over k: panels of A and B stay in the first cache. A longer k, up to a bound, is still faster as one pass,
  // since sums of more than one go through memory.
  static constexpr int64_t kPassDepth = 256;
  static constexpr int64_t kMostDepthAtOnce = 512;
  // A is read as it lies where its rows are no longer, and so share no sets of the caches, or where it is read once.
  static constexpr int64_t kDirectDepth = 256;
  static constexpr int64_t kDirectColumnPanels = 2;

  bool CanReadAsItLies() const {
    return a_.by_lane && a_.depth % kTileDepth == 0 &&
           (a_.depth <= kDirectDepth || column_panels_ <= kDirectColumnPanels);
  }

  void RunPass(int64_t p) {
    const LaneView a = a_.Part(direct_panels_ * kPanelLanes, a_.lanes, p, depth_);
    const int64_t steps = CeilDiv(a.depth, kTileDepth);
    PackPanels<false>(b_.Part(0, b_.lanes, p, depth_), packed_b_);
    PackPanels<true>(a, packed_a_);
    float* sums = sums_;
    for (int64_t j = 0; j < column_panels_; ++j) {
      for (int64_t i = 0; i < row_panels_; ++i) {
        const PanelOfB columns{packed_b_ + j * steps * kPanelStep, std::min(b_.lanes - j * kPanelLanes, kPanelLanes)};
        Unit::Multiply(RowPanel(i, p, steps), columns, a.depth, p > 0, sums);
        if (p + depth_ >= a_.depth) Block(i, j).Store(sums);
        if (depth_ < a_.depth) sums += kBlockSums;
      }
    }
  }

  PanelOfA RowPanel(int64_t i, int64_t p, int64_t steps) const {
    constexpr int64_t kBytes = sizeof(uint16_t);
    const int64_t rows = std::min(a_.lanes - i * kPanelLanes, kPanelLanes);
    if (i >= direct_panels_) {
      return {packed_a_ + (i - direct_panels_) * steps * kPanelStep, kTileDepth * kBytes, kTileElements, kPanelStep,
              rows};
    }
    const int64_t stride = a_.stride;
    return {a_.data + i * kPanelLanes * stride + p, stride * kBytes, kTileLanes * stride, kTileDepth, rows};
  }
  BlockOfC Block(int64_t i, int64_t j) const {
    return {c_ + (i * stride_ + j) * kPanelLanes, stride_, std::min(a_.lanes - i * kPanelLanes, kPanelLanes),
            std::min(b_.lanes - j * kPanelLanes, kPanelLanes)};
  }

  const LaneView a_;
  const LaneView b_;
  bfloat16* const c_;
  const int64_t stride_;
  const int64_t depth_;  // of a pass
  const int64_t row_panels_;
  const int64_t column_panels_;
  const int64_t direct_panels_;  // of A: read as they lie
  float* sums_ = nullptr;
  uint16_t* packed_a_ = nullptr;
  uint16_t* packed_b_ = nullptr;
};

}  // namespace dfrun

#endif  // DFRUN_BF16

#endif  // DFRUN_KERNELS_MATRIX_BF16_PART_H_
