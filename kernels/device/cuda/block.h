// What kernels of a card are written with: this header and no other names what CUDA gives. A kernel is a function
//     DF_CARD_KERNEL void Scale(const float* x, float* y, int64_t n);
// that a grid of blocks of kBlockThreads threads runs; each element of a result is written by one thread, and sums are
// in an order that the sizes alone decide, so that results have the same bits in every run.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_BLOCK_H_
#define DFRUN_KERNELS_DEVICE_CUDA_BLOCK_H_

#include <cuda_runtime.h>

#include <cstdint>

#define DF_CARD_KERNEL __global__
#define DF_CARD_FUNCTION __device__ inline
// Memory that the threads of a block share; its elements are not initialised.
#define DF_CARD_SHARED(type, name, count) __shared__ type name[count]

namespace dfrun::cuda {

inline constexpr int kBlockThreads = 256;

DF_CARD_FUNCTION int ThreadInBlock() {
  return static_cast<int>(threadIdx.x);
}
DF_CARD_FUNCTION int64_t BlockInGrid() {
  return blockIdx.x;
}
DF_CARD_FUNCTION int64_t ThreadInGrid() {
  return static_cast<int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
}
// All threads of the block come here before one goes on.
DF_CARD_FUNCTION void Barrier() {
  __syncthreads();
}

// Whether a kernel has barriers.
enum class Threads { kIndependent, kTogether };

// Enqueues a kernel of `blocks` blocks.
template <Threads kThreads, class... Params, class... Args>
cudaError_t LaunchKernel(cudaStream_t stream, int64_t blocks, void (*kernel)(Params...), const Args&... args) {
  kernel<<<static_cast<unsigned>(blocks), kBlockThreads, 0, stream>>>(static_cast<Params>(args)...);
  return cudaGetLastError();
}

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_BLOCK_H_
