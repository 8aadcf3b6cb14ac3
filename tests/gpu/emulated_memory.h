// The memory of the emulated card: a file in memory, mapped twice. The program knows addresses of the first mapping, at
// which any access is a fault; the card's work alone is given those of the second, its reach. A fault is told in one
// line before the program dies: the host touched memory of the card, or work touched memory that nothing is in.
//
// Behind each piece of memory lies a page without memory, the fence, so that an index that is too large by one is
// found. DFRUN_EMULATED_FENCES=0 has 4 KiB of memory there.
//
// Under AddressSanitizer memory is from the heap and its reach is itself (emulated_heap.cc): that finds wrong indices,
// and the host's reads it does not.
//
// Thread safety: all functions from any thread.
#ifndef DFRUN_TESTS_GPU_EMULATED_MEMORY_H_
#define DFRUN_TESTS_GPU_EMULATED_MEMORY_H_

#include <cstddef>

namespace dfrun::cuda::emulated {

// Never given back; it holds NaN. Null where there is no more.
void* TakeCardMemory(size_t bytes);
bool IsCardMemory(const void* address);
// The bytes of a piece of memory with those that lie before its fence.
size_t FencedBytes(size_t bytes);

// Where the card's work finds what the program knows by this address; of host memory the same.
void* ReachOf(const void* address);
template <class T>
T* Reach(T* address) {
  return static_cast<T*>(ReachOf(address));
}
// Puts their reach for all addresses of the card's memory among these bytes, which are aligned as pointers are.
void PutReach(void* value, size_t bytes);

// What work can and cannot touch: all of a piece of memory while it is given out.
void AllowWork(void* memory, size_t bytes);
void ForbidWork(void* memory, size_t bytes);

}  // namespace dfrun::cuda::emulated

#endif  // DFRUN_TESTS_GPU_EMULATED_MEMORY_H_
