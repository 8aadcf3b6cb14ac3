// An allocator of memory that a transport has registered. Edges between ranks keep their tensors in it.
#ifndef DFRUN_COMM_NETWORK_MEMORY_H_
#define DFRUN_COMM_NETWORK_MEMORY_H_

#include <map>
#include <vector>

#include "comm/region.h"
#include "comm/transport.h"
#include "src/base/mutex.h"
#include "src/framework/values/allocator.h"

namespace dfrun::comm {

// Takes regions from the transport, cuts them into blocks, and keeps freed blocks by size for later use. Regions are
// never given back before the end. If the network has no more memory to give, blocks come from the system's allocator;
// the transport takes such memory too.
//
// Thread safety: all methods from any thread.
// Lifetime: Allocate() only while the transport lives; Free() and the destructor also after it.
class NetworkMemory final : public Allocator {
 public:
  explicit NetworkMemory(Transport& transport) : transport_(transport) {}

  std::string_view name() const override { return "network"; }
  void* Allocate(size_t bytes) override EXCLUDES(mu_);
  void Free(void* memory, size_t bytes) override EXCLUDES(mu_);
  AllocatorStats Stats() const override EXCLUDES(mu_);
  void ResetPeak() override EXCLUDES(mu_);

  // Returns whether a region holds the byte at `memory`. If so, it holds all of the block or tensor that begins there.
  bool Holds(const void* memory) const EXCLUDES(mu_);

 private:
  // Returns null if the network gives no memory.
  void* TakeBlock(size_t size) REQUIRES(mu_);
  bool AddRegion(size_t size) REQUIRES(mu_);
  bool HoldsLocked(const void* memory) const REQUIRES(mu_);

  Transport& transport_;
  mutable Mutex mu_;
  std::map<const char*, Region> regions_ GUARDED_BY(mu_);      // by their first byte
  std::map<size_t, std::vector<void*>> free_ GUARDED_BY(mu_);  // blocks by size
  char* next_ GUARDED_BY(mu_) = nullptr;                       // unused rest of the newest region
  size_t left_ GUARDED_BY(mu_) = 0;
  bool has_warned_ GUARDED_BY(mu_) = false;
  AllocatorStats stats_ GUARDED_BY(mu_);
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_NETWORK_MEMORY_H_
