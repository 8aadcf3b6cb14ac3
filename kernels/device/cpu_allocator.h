// The CPU device's allocator: a pool over huge pages.
//
//   up to 256 KiB   free lists of the calling thread: no lock, no system call; refilled and drained in batches
//   up to 4 MiB     free lists shared by all threads, under a lock
//   above           mappings of their own; freed ones are kept, up to the bound below, for blocks of about their size
//
// A block may be freed by another thread than the one that allocated it: it joins the freeing thread's list.
// Blocks up to 4 MiB go back to the system when the allocator dies, not before.
// A limit bounds the bytes in use: small blocks to 16 KiB a thread, as they are counted, others to the byte. Large
// blocks that are kept for later go back to the system where they would exceed it.
// With AddressSanitizer every block comes from the system's heap, so that the sanitizer sees each one's bounds.
#ifndef DFRUN_KERNELS_DEVICE_CPU_ALLOCATOR_H_
#define DFRUN_KERNELS_DEVICE_CPU_ALLOCATOR_H_

#include <cstdint>
#include <memory>

#include "src/framework/device/memory_limit.h"
#include "src/framework/values/allocator.h"

namespace dfrun {

namespace pool {
class CentralFreeList;
class ThreadCache;
}  // namespace pool

// Thread safety: all methods from any thread.
// Owns: the memory of all blocks, through the pool that the threads' caches share.
class CpuAllocator final : public Allocator, public LimitedMemory {
 public:
  // `limit_bytes` 0: as much as the host has.
  explicit CpuAllocator(int64_t limit_bytes = 0);
  // Every block must have been freed. Threads may live on.
  ~CpuAllocator() override;

  std::string_view name() const override { return "cpu"; }
  void* Allocate(size_t bytes) override;
  void Free(void* memory, size_t bytes) override;
  // bytes_in_use and its peak are exact to 16 KiB a thread: threads add theirs up in portions.
  AllocatorStats Stats() const override;
  void ResetPeak() override;
  int64_t limit_bytes() const override;

 private:
  // Returns null where there is no memory. `cache` is of a thread class's block alone.
  void* Take(size_t size_class, size_t bytes, pool::ThreadCache* cache);

  std::shared_ptr<pool::CentralFreeList> central_free_list_;  // shared with the threads' caches
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_DEVICE_CPU_ALLOCATOR_H_
