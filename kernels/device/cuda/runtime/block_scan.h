// Sums over the threads of a block, in their order.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_BLOCK_SCAN_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_BLOCK_SCAN_H_

#include "kernels/device/cuda/runtime/block.h"

namespace dfrun::cuda {

template <class T>
struct BlockSums {
  T before;  // sum of the threads before this one
  T all;
};

// All threads of the block call it. T: an integer.
template <class T>
DF_DEVICE_FUNCTION BlockSums<T> SumOverBlock(T value) {
  constexpr int kGroup = 16;
  DF_DEVICE_SHARED(T, values, kBlockThreads);
  DF_DEVICE_SHARED(T, groups, kBlockThreads / kGroup);
  const int thread = ThreadInBlock();
  Barrier();  // every thread has read the values of the call before
  values[thread] = value;
  Barrier();
  if (thread < kBlockThreads / kGroup) {
    T sum = 0;
    for (int i = 0; i < kGroup; ++i) sum += values[thread * kGroup + i];
    groups[thread] = sum;
  }
  Barrier();
  BlockSums<T> sums = {0, 0};
  for (int g = 0; g < kBlockThreads / kGroup; ++g) {
    if (g == thread / kGroup) sums.before = sums.all;
    sums.all += groups[g];
  }
  for (int i = thread / kGroup * kGroup; i < thread; ++i) sums.before += values[i];
  return sums;
}

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_BLOCK_SCAN_H_
