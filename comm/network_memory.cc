#include "comm/network_memory.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "src/base/integers.h"
#include "src/base/log.h"

namespace dfrun::comm {
namespace {

// Size of a region. A registration costs a system call and more, whatever its size.
constexpr size_t kRegionBytes = size_t{16} << 20;

// Rounds up to one of four sizes between two powers of two, so that at most a fifth of a block is unused.
size_t BlockSize(size_t bytes) {
  const size_t step = std::max(Allocator::kAlignment, std::bit_floor(std::max<size_t>(bytes, 1)) / 4);
  return RoundUp(std::max<size_t>(bytes, 1), step);
}

}  // namespace

void* NetworkMemory::Allocate(size_t bytes) {
  MutexLock lock(mu_);
  void* memory = TakeBlock(BlockSize(bytes));
  if (memory == nullptr) memory = SystemAllocator().Allocate(bytes);
  if (memory == nullptr) return nullptr;
  ++stats_.allocations;
  stats_.bytes_in_use += static_cast<int64_t>(bytes);
  stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  return memory;
}

void* NetworkMemory::TakeBlock(size_t size) {
  std::vector<void*>& free = free_[size];
  if (!free.empty()) {
    void* const block = free.back();
    free.pop_back();
    return block;
  }
  if (size > left_ && !AddRegion(size)) return nullptr;
  left_ -= size;
  return std::exchange(next_, next_ + size);
}

bool NetworkMemory::AddRegion(size_t size) {
  Result<Region> region = transport_.NewRegion(std::max(size, kRegionBytes));
  if (!region.ok()) {
    if (!std::exchange(has_warned_, true)) {
      DF_LOG(kWarning) << "values that other ranks get lie in memory that " << transport_.name()
                       << " has not registered, which may be slower: " << region.status().ToString();
    }
    return false;
  }
  next_ = region->data();
  left_ = region->bytes();
  stats_.bytes_reserved += static_cast<int64_t>(left_);
  regions_.emplace(next_, *std::move(region));
  return true;
}

void NetworkMemory::Free(void* memory, size_t bytes) {
  MutexLock lock(mu_);
  stats_.bytes_in_use -= static_cast<int64_t>(bytes);
  if (!HoldsLocked(memory)) return SystemAllocator().Free(memory, bytes);
  free_[BlockSize(bytes)].push_back(memory);
}

AllocatorStats NetworkMemory::Stats() const {
  MutexLock lock(mu_);
  return stats_;
}

void NetworkMemory::ResetPeak() {
  MutexLock lock(mu_);
  stats_.peak_bytes_in_use = stats_.bytes_in_use;
}

bool NetworkMemory::Holds(const void* memory) const {
  MutexLock lock(mu_);
  return HoldsLocked(memory);
}

bool NetworkMemory::HoldsLocked(const void* memory) const {
  const char* const byte = static_cast<const char*>(memory);
  const auto after = regions_.upper_bound(byte);
  if (after == regions_.begin()) return false;
  const Region& region = std::prev(after)->second;
  return byte < region.data() + region.bytes();
}

}  // namespace dfrun::comm
