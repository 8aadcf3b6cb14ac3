// The CPU device's allocator: a pool over huge pages.
//
//   up to 256 KiB   free lists of the calling thread: no lock, no system call; refilled and drained in batches
//   up to 4 MiB     free lists shared by all threads, under a lock
//   above           mappings of their own; freed ones are kept, up to the bound below, for blocks of about their size
//
// A block may be freed by another thread than the one that allocated it: it joins the freeing thread's list.
// Blocks up to 4 MiB go back to the system when the allocator dies, not before.
// With AddressSanitizer every block comes from the system's heap, so that the sanitizer sees each one's bounds.
#ifndef DFRUN_KERNELS_DEVICE_CPU_ALLOCATOR_H_
#define DFRUN_KERNELS_DEVICE_CPU_ALLOCATOR_H_

#include <memory>

#include "src/framework/values/allocator.h"

namespace dfrun {

namespace pool {
class CentralFreeList;
}  // namespace pool

// Thread safety: all methods from any thread.
// Owns: the memory of all blocks, through the pool that the threads' caches share.
class CpuAllocator final : public Allocator {
 public:
  CpuAllocator();
  // Every block must have been freed. Threads may live on.
  ~CpuAllocator() override;

  std::string_view name() const override { return "cpu"; }
  void* Allocate(size_t bytes) override;
  void Free(void* memory, size_t bytes) override;
  // bytes_in_use and its peak are exact to 64 KiB a thread: threads add theirs up in portions.
  AllocatorStats Stats() const override;
  void ResetPeak() override;

 private:
  std::shared_ptr<pool::CentralFreeList> central_free_list_;  // shared with the threads' caches
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_DEVICE_CPU_ALLOCATOR_H_
