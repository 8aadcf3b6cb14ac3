// A value of each thread of a block folded into one, which all threads get.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_BLOCK_REDUCE_H_
#define DFRUN_KERNELS_DEVICE_CUDA_BLOCK_REDUCE_H_

#include "kernels/device/cuda/block.h"

namespace dfrun::cuda {

// As a tree: the order depends on the block's size alone. All threads of the block call it.
template <class A, class Combine>
DF_CARD_FUNCTION A BlockReduce(A value, Combine combine) {
  DF_CARD_SHARED(A, values, kBlockThreads);
  const int thread = ThreadInBlock();
  Barrier();  // of the call before, whose result all have read
  values[thread] = value;
  Barrier();
  for (int half = kBlockThreads / 2; half > 0; half /= 2) {
    if (thread < half) values[thread] = combine(values[thread], values[thread + half]);
    Barrier();
  }
  return values[0];
}

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_BLOCK_REDUCE_H_
