// The memory of the emulated GPU. It is a memory file that is mapped twice. The program knows addresses of the first
// mapping, at which any access is a fault. Only the GPU's work is given those of the second mapping, its reach. A fault
// is reported in one line before the program ends: the host touched memory of the GPU, or work touched memory that is
// not allocated.
//
// Behind each piece of memory is a page without memory, the fence, which finds an index that is too large by one. With
// DFRUN_EMULATED_FENCES=0 there are 4 KiB of memory instead.
//
// Under AddressSanitizer the memory is from the heap and its own reach (emulated_heap.cc). That finds wrong indices,
// but not reads by the host.
//
// Thread safety: all functions from any thread.
#ifndef DFRUN_TESTS_GPU_EMULATED_MEMORY_H_
#define DFRUN_TESTS_GPU_EMULATED_MEMORY_H_

#include <cstddef>

namespace dfrun::cuda::emulated {

// Allocates memory that is never given back and holds NaN. Returns null if there is no more.
void* TakeGpuMemory(size_t bytes);
bool IsGpuMemory(const void* address);
// Returns the size of a piece of memory, including the bytes before its fence.
size_t FencedBytes(size_t bytes);

// Returns the address at which the GPU's work accesses this memory; host memory keeps its address.
void* ReachOf(const void* address);
template <class T>
T* Reach(T* address) {
  return static_cast<T*>(ReachOf(address));
}
// Replaces all addresses of GPU memory among these bytes, which are aligned as pointers are, by their reach.
void PutReach(void* value, size_t bytes);

// Let work access a whole piece of memory while it is allocated, and forbid it afterwards.
void AllowWork(void* memory, size_t bytes);
void ForbidWork(void* memory, size_t bytes);

}  // namespace dfrun::cuda::emulated

#endif  // DFRUN_TESTS_GPU_EMULATED_MEMORY_H_
