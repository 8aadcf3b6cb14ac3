// An allocator of memory that a transport has registered: for the values that edges between ranks carry.
#ifndef DFRUN_COMM_NETWORK_MEMORY_H_
#define DFRUN_COMM_NETWORK_MEMORY_H_

#include <map>
#include <vector>

#include "comm/region.h"
#include "comm/transport.h"
#include "src/base/mutex.h"
#include "src/framework/allocator.h"

namespace dfrun::comm {

// Takes regions of the transport, cuts blocks of them, and keeps freed blocks by size. Blocks of one region are given
// out again and again; a region is kept to the end. Where the network has no more to give, blocks come from the
// system's allocator, which any transport takes too.
//
// Lifetime: Allocate() while the transport is there; the rest, and the end, also after it.
class NetworkMemory final : public Allocator {
 public:
  explicit NetworkMemory(Transport& transport) : transport_(transport) {}

  std::string_view name() const override { return "network"; }
  void* Allocate(size_t bytes) override EXCLUDES(mu_);
  void Free(void* memory, size_t bytes) override EXCLUDES(mu_);
  AllocatorStats Stats() const override EXCLUDES(mu_);
  void ResetPeak() override EXCLUDES(mu_);

  // Whether a region holds the byte, and so all of the block or value that it begins.
  bool Holds(const void* memory) const EXCLUDES(mu_);

 private:
  // Null where the network gives none.
  void* TakeBlock(size_t size) REQUIRES(mu_);
  bool AddRegion(size_t size) REQUIRES(mu_);
  bool HoldsLocked(const void* memory) const REQUIRES(mu_);

  Transport& transport_;
  mutable Mutex mu_;
  std::map<const char*, Region> regions_ GUARDED_BY(mu_);      // by their beginning
  std::map<size_t, std::vector<void*>> free_ GUARDED_BY(mu_);  // blocks by size
  char* next_ GUARDED_BY(mu_) = nullptr;                       // of the newest region: what has not been given out
  size_t left_ GUARDED_BY(mu_) = 0;
  bool has_warned_ GUARDED_BY(mu_) = false;
  AllocatorStats stats_ GUARDED_BY(mu_);
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_NETWORK_MEMORY_H_
