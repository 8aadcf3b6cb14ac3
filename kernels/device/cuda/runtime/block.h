// The vocabulary of GPU kernels: this header and no other names what CUDA gives. A kernel is a function
//     DF_DEVICE_KERNEL void Scale(const float* x, float* y, int64_t n);
// that a grid of blocks of kBlockThreads threads runs; each element of a result is written by one thread, and sums are
// in an order that the sizes alone decide, so that results have the same bits in every run.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_BLOCK_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_BLOCK_H_

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#define DF_DEVICE_KERNEL __global__
#define DF_DEVICE_FUNCTION __device__ inline
// Memory that the threads of a block share; its elements are not initialised, nor may their constructors be called.
#define DF_DEVICE_SHARED(type, name, count)                                    \
  alignas(type) __shared__ unsigned char name##_bytes[sizeof(type) * (count)]; \
  type* const name = reinterpret_cast<type*>(name##_bytes)

namespace dfrun::cuda {

inline constexpr int kBlockThreads = 256;

// A kernel of a recorded subgraph may begin before the work that it waits for is done (cuda_graph_capture.h): this
// waits for it where the kernel asks which thread of the grid it is, and lets the kernels that wait for this one begin.
// A kernel asks that before it reads or writes memory.
DF_DEVICE_FUNCTION void GridDependencySync() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

DF_DEVICE_FUNCTION int ThreadInBlock() {
  return static_cast<int>(threadIdx.x);
}
DF_DEVICE_FUNCTION int64_t GlobalBlockId() {
  GridDependencySync();
  return blockIdx.x;
}
DF_DEVICE_FUNCTION int64_t GlobalThreadId() {
  GridDependencySync();
  return static_cast<int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
}
// All threads of the block come here before one goes on.
DF_DEVICE_FUNCTION void Barrier() {
  __syncthreads();
}

// Adds 1 to a number of the GPU's and writes the sum to host memory, where the host sees it after all that this
// thread, those that it met at a barrier and earlier kernels have written. One thread at a time calls it.
DF_DEVICE_FUNCTION void CountForHost(uint64_t* in_gpu, uint64_t* in_host) {
  const uint64_t sum = *in_gpu + 1;
  *in_gpu = sum;
  __threadfence_system();
  *static_cast<volatile uint64_t*>(in_host) = sum;
}

inline constexpr int kWarpThreads = 32;

// The value that the thread `distance` further on in the warp has. T: plain bytes.
template <class T>
DF_DEVICE_FUNCTION T FromThreadAfter(const T& value, int distance) {
  constexpr int kWords = (sizeof(T) + sizeof(unsigned) - 1) / sizeof(unsigned);
  unsigned words[kWords] = {};
  memcpy(words, &value, sizeof(T));
  for (int i = 0; i < kWords; ++i) words[i] = __shfl_down_sync(0xffffffffU, words[i], distance);
  T other;
  memcpy(&other, words, sizeof(T));
  return other;
}

// A value of each thread of a block folded into one, which all threads get, in an order that the block's size alone
// decides. All threads of the block call it.
template <class A, class Combine>
DF_DEVICE_FUNCTION A BlockReduce(A value, Combine combine) {
  constexpr int kWarps = kBlockThreads / kWarpThreads;
  DF_DEVICE_SHARED(A, of_warps, kWarps);
  for (int distance = kWarpThreads / 2; distance > 0; distance /= 2) {
    value = combine(value, FromThreadAfter(value, distance));
  }
  Barrier();  // every thread has read the values of the call before
  if (ThreadInBlock() % kWarpThreads == 0) of_warps[ThreadInBlock() / kWarpThreads] = value;
  Barrier();
  A all = of_warps[0];
  for (int warp = 1; warp < kWarps; ++warp) all = combine(all, of_warps[warp]);
  return all;
}

// Tells if a kernel has barriers: kTogether has, kIndependent has none.
enum class Threads { kIndependent, kTogether };

// The handle by which the runtime knows a kernel.
template <Threads kThreads, class... Params>
const void* EntryOf(void (*kernel)(Params...)) {
  return reinterpret_cast<const void*>(kernel);
}

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_BLOCK_H_
