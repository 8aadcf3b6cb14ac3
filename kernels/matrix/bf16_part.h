// A part of a product of bfloat16 by one thread. Only where DFRUN_BF16 is defined.
#ifndef DFRUN_KERNELS_MATRIX_BF16_PART_H_
#define DFRUN_KERNELS_MATRIX_BF16_PART_H_

#include "kernels/matrix/bf16_block.h"

#ifdef DFRUN_BF16
#include "src/framework/allocator.h"

namespace dfrun {

// C = A B for a part of C, pass by pass over k: B is copied whole, then a block of A's rows at a time, which meets all
// of B. Unit: what multiplies panels, TileUnit or PairUnit.
template <class Unit>
class PartOfProduct {
 public:
  PartOfProduct(const LaneView& a, const LaneView& b, bfloat16* c, int64_t stride)
      : a_(a),
        b_(b),
        c_(c),
        stride_(stride),
        depth_(a.depth <= Unit::kPartShape.depth_at_once ? a.depth : Unit::kPartShape.pass_depth),
        row_panels_(CeilDiv(a.lanes, kPanelLanes)),
        column_panels_(CeilDiv(b.lanes, kPanelLanes)),
        direct_panels_(CanReadAsItLies() ? a.lanes / kPanelLanes : 0) {}

  // False where there is no memory.
  bool Run(Allocator& allocator) {
    const int64_t blocks = IsOnePass() ? 1 : row_panels_ * column_panels_;
    const int64_t panel = CeilDiv(depth_, kTileDepth) * kPanelStep;
    const int64_t packed = (column_panels_ + std::min(row_panels_ - direct_panels_, kBlockPanels)) * panel;
    const size_t bytes =
        static_cast<size_t>(blocks * kBlockSums) * sizeof(float) + static_cast<size_t>(packed) * sizeof(uint16_t);
    void* const scratch = allocator.Allocate(bytes);
    if (scratch == nullptr) return false;
    sums_ = static_cast<float*>(scratch);
    packed_b_ = reinterpret_cast<uint16_t*>(sums_ + blocks * kBlockSums);
    packed_a_ = packed_b_ + column_panels_ * panel;
    [[maybe_unused]] const typename Unit::Scope scope;
    for (int64_t p = 0; p < a_.depth; p += depth_) RunPass({p, std::min(depth_, a_.depth - p)});
    allocator.Free(scratch, bytes);
    return true;
  }

 private:
  static constexpr int64_t kBlockPanels = Unit::kPartShape.block_rows / kPanelLanes;
  // A is read as it lies where its rows are no longer, and so share no sets of the caches, or where it is read once.
  static constexpr int64_t kDirectDepth = 256;
  static constexpr int64_t kDirectColumnPanels = 2;

  struct Pass {
    int64_t panel() const { return CeilDiv(depth, kTileDepth) * kPanelStep; }  // elements
    int64_t begin;
    int64_t depth;
  };

  bool IsOnePass() const { return depth_ == a_.depth; }
  bool CanReadAsItLies() const {
    return a_.by_lane && a_.depth % kTileDepth == 0 &&
           (a_.depth <= kDirectDepth || column_panels_ <= kDirectColumnPanels);
  }

  void RunPass(const Pass& pass) {
    PackPanels<false>(b_.Part(0, b_.lanes, pass.begin, pass.depth), packed_b_);
    for (int64_t i = 0; i < row_panels_; i += kBlockPanels) {
      RunBlock(pass, i, std::min(i + kBlockPanels, row_panels_));
    }
  }

  // Rows of C from these panels of A.
  void RunBlock(const Pass& pass, int64_t begin, int64_t end) {
    const int64_t packed = std::max(begin, direct_panels_);
    if (packed < end) {
      const int64_t lanes = (end - packed) * kPanelLanes;
      PackPanels<true>(a_.Part(packed * kPanelLanes, lanes, pass.begin, pass.depth), packed_a_);
    }
    const bool is_last_pass = pass.begin + pass.depth == a_.depth;
    for (int64_t j = 0; j < column_panels_; ++j) {
      const PanelOfB columns{packed_b_ + j * pass.panel(), std::min(b_.lanes - j * kPanelLanes, kPanelLanes)};
      LinesAhead ahead = NextPanel(pass, j, end - begin);
      for (int64_t i = begin; i < end; ++i) {
        float* const sums = sums_ + (IsOnePass() ? 0 : (j * row_panels_ + i) * kBlockSums);
        Unit::Multiply(PanelOfRows(pass, i, packed), columns, pass.depth, pass.begin > 0, sums, ahead);
        if (is_last_pass) Block(i, j).Store(sums);
      }
    }
  }

  // The panel of B after this one, asked for by all of these panels of A together.
  LinesAhead NextPanel(const Pass& pass, int64_t j, int64_t row_panels) const {
    constexpr int64_t kStepLines = kPanelStep * static_cast<int64_t>(sizeof(uint16_t)) / 64;
    const int64_t turns = row_panels * (kPanelLanes / Unit::kGroupRows);
    return {packed_b_ + (j + 1 < column_panels_ ? j + 1 : 0) * pass.panel(), std::max<int64_t>(1, kStepLines / turns)};
  }

  PanelOfA PanelOfRows(const Pass& pass, int64_t i, int64_t packed) const {
    constexpr int64_t kBytes = sizeof(uint16_t);
    const int64_t rows = std::min(a_.lanes - i * kPanelLanes, kPanelLanes);
    if (i >= packed) {
      return {packed_a_ + (i - packed) * pass.panel(), kTileDepth * kBytes, kTileElements, kPanelStep, rows};
    }
    const int64_t stride = a_.stride;
    return {a_.data + i * kPanelLanes * stride + pass.begin, stride * kBytes, kTileLanes * stride, kTileDepth, rows};
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
  uint16_t* packed_a_ = nullptr;  // a block of rows
  uint16_t* packed_b_ = nullptr;
};

}  // namespace dfrun

#endif  // DFRUN_BF16

#endif  // DFRUN_KERNELS_MATRIX_BF16_PART_H_
