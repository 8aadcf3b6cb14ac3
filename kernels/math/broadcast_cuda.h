// A BroadcastPlan as functions of a card read it.
#ifndef DFRUN_KERNELS_MATH_BROADCAST_CUDA_H_
#define DFRUN_KERNELS_MATH_BROADCAST_CUDA_H_

#include "kernels/device/cuda/block.h"
#include "kernels/math/broadcast.h"

namespace dfrun::cuda {

// Passed by value.
struct CardBroadcast : BroadcastPlan {
  explicit CardBroadcast(const BroadcastPlan& plan) : BroadcastPlan(plan) {}

  // The elements of the operands that element `index` of the output reads. Index holds all of them; dividing 64 bits
  // takes a card four times as long as 32.
  template <int kOperands, class Index>
  DF_HOST_DEVICE void Offsets(Index index, Index* offsets) const {
    for (int k = 0; k < kOperands; ++k) offsets[k] = 0;
    for (int d = rank - 1; d > 0; --d) {
      const Index rest = index / static_cast<Index>(dims[d]);
      const Index at = index - rest * static_cast<Index>(dims[d]);
      for (int k = 0; k < kOperands; ++k) offsets[k] += at * static_cast<Index>(strides[k][d]);
      index = rest;
    }
    for (int k = 0; k < kOperands; ++k) offsets[k] += index * static_cast<Index>(strides[k][0]);
  }
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_MATH_BROADCAST_CUDA_H_
