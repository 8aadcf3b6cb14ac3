// The shared part of a CpuAllocator, behind its threads' caches: segments, free lists by size class, large blocks,
// statistics.
// Thread safety: all methods from any thread.
#ifndef DFRUN_KERNELS_DEVICE_CENTRAL_FREE_LIST_H_
#define DFRUN_KERNELS_DEVICE_CENTRAL_FREE_LIST_H_

#include <array>
#include <atomic>
#include <list>
#include <vector>

#include "kernels/device/size_classes.h"
#include "src/base/mutex.h"
#include "src/framework/values/allocator.h"

namespace dfrun::pool {

// A free block: its first bytes link it to the next.
struct FreeBlock {
  FreeBlock* next;
};

class CentralFreeList {
 public:
  // `limit_bytes` bounds the bytes in use; 0: nothing does but the host.
  explicit CentralFreeList(int64_t limit_bytes = 0) : limit_bytes_(limit_bytes) {}
  ~CentralFreeList() { Close(); }
  CentralFreeList(const CentralFreeList&) = delete;
  CentralFreeList& operator=(const CentralFreeList&) = delete;

  // A chain of 1 to `count` blocks of the class; its length in `count`. Null if there is no memory.
  FreeBlock* TakeBatch(size_t size_class, int* count) EXCLUDES(mu_);
  // Gives a chain back. Forgets it when closed.
  void PutBatch(size_t size_class, FreeBlock* first) EXCLUDES(mu_);
  // The bytes are claimed.
  void* TakeLarge(size_t bytes) EXCLUDES(mu_);
  void PutLarge(void* memory, size_t bytes) EXCLUDES(mu_);

  // Returns whether the limit allows so many bytes more.
  bool MayGive(size_t bytes) const {
    return limit_bytes_ == 0 || in_use_.load(std::memory_order_relaxed) + static_cast<int64_t>(bytes) <= limit_bytes_;
  }
  // Counts the bytes as in use where the limit allows it; threads that claim at the same time do not exceed it
  // together.
  bool Claim(size_t bytes);
  // Adds to the statistics.
  void Count(int64_t bytes, int64_t allocations);
  int64_t limit_bytes() const { return limit_bytes_; }
  AllocatorStats Stats() const;
  void ResetPeak() { peak_ = in_use_.load(); }

  // Returns all memory to the system; no block is in use. Caches of threads that live on are void from here.
  void Close() EXCLUDES(mu_);
  bool closed() const { return closed_.load(std::memory_order_acquire); }

 private:
  struct Mapping {
    void* base;
    size_t bytes;
  };

  FreeBlock* Carve(size_t size_class) REQUIRES(mu_);
  bool MayReserve(size_t bytes, size_t claimed) REQUIRES(mu_);
  void DropOldestLarge() REQUIRES(mu_);
  void TrimLarge() REQUIRES(mu_);

  const int64_t limit_bytes_;
  Mutex mu_;
  std::array<FreeBlock*, kClasses> free_ GUARDED_BY(mu_) = {};
  char* segment_ GUARDED_BY(mu_) = nullptr;  // rest of the newest segment
  size_t segment_bytes_ GUARDED_BY(mu_) = 0;
  std::vector<Mapping> segments_ GUARDED_BY(mu_);
  std::list<Mapping> free_large_ GUARDED_BY(mu_);  // newest first
  size_t free_large_bytes_ GUARDED_BY(mu_) = 0;
  size_t next_stagger_ GUARDED_BY(mu_) = 0;

  std::atomic<bool> closed_{false};
  std::atomic<int64_t> in_use_{0};
  std::atomic<int64_t> peak_{0};
  std::atomic<int64_t> allocations_{0};
  std::atomic<int64_t> reserved_{0};
};

}  // namespace dfrun::pool

#endif  // DFRUN_KERNELS_DEVICE_CENTRAL_FREE_LIST_H_
