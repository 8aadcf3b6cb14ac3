// A BroadcastPlan as functions of a GPU read it.
#ifndef DFRUN_KERNELS_MATH_ELEMENTWISE_BROADCAST_CUDA_H_
#define DFRUN_KERNELS_MATH_ELEMENTWISE_BROADCAST_CUDA_H_

#include <algorithm>

#include "kernels/device/cuda/runtime/block.h"
#include "kernels/math/elementwise/broadcast.h"

namespace dfrun::cuda {

// A broadcast plan of at most 2^31 - 1 elements: dividing 64 bits takes a GPU four times as long as 32. Passed by
// value.
struct GpuBroadcast : BroadcastPlan {
  explicit GpuBroadcast(const BroadcastPlan& plan) : BroadcastPlan(plan) {}

  // True where each operand walks along the innermost dimension at multiples of `width`, or repeats there.
  bool HasVectors(int64_t width) const {
    if (dims[rank - 1] % width != 0) return false;
    for (int k = 0; k < operands; ++k) {
      if (strides[k][rank - 1] == 0) continue;
      for (int d = 0; d + 1 < rank; ++d) {
        if (strides[k][d] % width != 0) return false;
      }
    }
    return true;
  }

  // The elements of the operands that element `index` of the output reads.
  template <int kOperands>
  DF_HOST_DEVICE void Offsets(uint32_t index, uint32_t* offsets) const {
    for (int k = 0; k < kOperands; ++k) offsets[k] = 0;
    for (int d = rank - 1; d > 0; --d) {
      const uint32_t rest = index / static_cast<uint32_t>(dims[d]);
      const uint32_t at = index - rest * static_cast<uint32_t>(dims[d]);
      for (int k = 0; k < kOperands; ++k) offsets[k] += at * static_cast<uint32_t>(strides[k][d]);
      index = rest;
    }
    for (int k = 0; k < kOperands; ++k) offsets[k] += index * static_cast<uint32_t>(strides[k][0]);
  }
};

// The offsets at which a piece of a plan begins, in elements.
struct PieceOffsets {
  int64_t operands[BroadcastPlan::kMaxOperands] = {};
  int64_t output = 0;
  PieceOffsets Next(const BroadcastPlan& plan, int64_t index, int64_t outputs) const {
    PieceOffsets next = *this;
    for (int k = 0; k < plan.operands; ++k) next.operands[k] += index * plan.strides[k][0];
    next.output += index * outputs;
    return next;
  }
};

// Calls launch(piece, offsets) for pieces of a plan, one for all where it is not too large.
template <class Launch>
Status ForPieces(const BroadcastPlan& plan, Launch&& launch, const PieceOffsets& at = {}) {
  if (plan.count <= INT32_MAX) return launch(GpuBroadcast(plan), at);
  const int64_t inner = plan.count / plan.dims[0];
  const int64_t most = INT32_MAX / inner;
  BroadcastPlan piece = plan;
  if (most == 0) {  // one index of the first dimension is too large
    for (int d = 0; d + 1 < plan.rank; ++d) {
      piece.dims[d] = plan.dims[d + 1];
      for (int k = 0; k < plan.operands; ++k) piece.strides[k][d] = plan.strides[k][d + 1];
    }
    --piece.rank;
    piece.count = inner;
    for (int64_t i = 0; i < plan.dims[0]; ++i) DF_TRY(ForPieces(piece, launch, at.Next(plan, i, inner)));
    return Status();
  }
  for (int64_t i = 0; i < plan.dims[0]; i += most) {
    piece.dims[0] = std::min(most, plan.dims[0] - i);
    piece.count = piece.dims[0] * inner;
    DF_TRY(launch(GpuBroadcast(piece), at.Next(plan, i, inner)));
  }
  return Status();
}

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_MATH_ELEMENTWISE_BROADCAST_CUDA_H_
