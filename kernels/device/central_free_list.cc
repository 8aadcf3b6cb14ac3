#include "kernels/device/central_free_list.h"

#include <algorithm>
#include <cstdint>

#include "kernels/device/huge_pages.h"
#include "src/base/host/host_limits.h"
#include "src/base/integers.h"

namespace dfrun::pool {
namespace {

// Segments are address space: only touched huge pages of them are memory.
constexpr size_t kSegmentBytes = size_t{64} << 20;
// Freed large blocks are kept up to the peak of bytes in use, and up to this much in any case.
constexpr size_t kLargeCacheFloor = size_t{256} << 20;
// Large blocks start at one of these offsets, in turn; less than a page, so that the mapping's begin can be found.
constexpr size_t kStaggerStep = 17 * kLine;
constexpr size_t kSmallPage = 4096;

// Sizes of mappings: eighths of a power of two, so that a freed block fits others of about its size.
size_t LargeMappingBytes(size_t bytes) {
  const size_t needed = bytes + kSmallPage;
  const size_t step = std::max(std::bit_floor(needed) / 8, kHugePage);
  return RoundUp(needed, step);
}

}  // namespace

FreeBlock* CentralFreeList::Carve(size_t size_class) {
  const size_t bytes = kClassBytes[size_class];
  if (segment_bytes_ < bytes) {
    void* segment = MapHugePages(kSegmentBytes);
    if (segment == nullptr) return nullptr;
    segments_.push_back({segment, kSegmentBytes});
    reserved_ += static_cast<int64_t>(kSegmentBytes);
    segment_ = static_cast<char*>(segment);
    segment_bytes_ = kSegmentBytes;
  }
  auto* block = reinterpret_cast<FreeBlock*>(segment_);
  segment_ += bytes;
  segment_bytes_ -= bytes;
  return block;
}

FreeBlock* CentralFreeList::TakeBatch(size_t size_class, int* count) {
  MutexLock lock(mu_);
  FreeBlock* first = nullptr;
  int taken = 0;
  while (taken < *count) {
    FreeBlock* block = free_[size_class];
    if (block != nullptr) {
      free_[size_class] = block->next;
    } else {
      block = Carve(size_class);
      if (block == nullptr) break;
    }
    block->next = first;
    first = block;
    ++taken;
  }
  *count = taken;
  return first;
}

void CentralFreeList::PutBatch(size_t size_class, FreeBlock* first) {
  MutexLock lock(mu_);
  if (closed()) return;
  while (first != nullptr) {
    FreeBlock* next = first->next;
    first->next = free_[size_class];
    free_[size_class] = first;
    first = next;
  }
}

void* CentralFreeList::TakeLarge(size_t bytes) {
  const size_t wanted = LargeMappingBytes(bytes);
  MutexLock lock(mu_);
  const size_t stagger = next_stagger_;
  next_stagger_ = (next_stagger_ + kStaggerStep) % kSmallPage;
  auto fits = std::find_if(free_large_.begin(), free_large_.end(), [&](const Mapping& m) { return m.bytes == wanted; });
  void* base = nullptr;
  if (fits != free_large_.end()) {
    base = fits->base;
    free_large_bytes_ -= wanted;
    free_large_.erase(fits);
  } else {
    base = MayReserve(wanted, bytes) ? MapHugePages(wanted) : nullptr;
    if (base == nullptr) return nullptr;
    reserved_ += static_cast<int64_t>(wanted);
  }
  return static_cast<char*>(base) + stagger;
}

// Returns whether a mapping of so many bytes, of which `claimed` count as in use, is within the memory limit of this
// process's group. The kernel does not refuse larger allocations, but kills the process that touches them. What is kept
// for later yields to it, and to the limit of bytes in use.
bool CentralFreeList::MayReserve(size_t bytes, size_t claimed) {
  const HostLimits& limits = LimitsOfHost();
  const size_t of_group = limits.limits_memory() ? static_cast<size_t>(limits.memory_bytes) : SIZE_MAX;
  const size_t most = limit_bytes_ > 0 ? std::min(of_group, static_cast<size_t>(limit_bytes_)) : of_group;
  const auto held = [&] { return static_cast<size_t>(in_use_.load()) - claimed + free_large_bytes_; };
  while (held() + bytes > most && !free_large_.empty()) DropOldestLarge();
  return held() + bytes <= of_group;
}

void CentralFreeList::DropOldestLarge() {
  const Mapping oldest = free_large_.back();
  free_large_.pop_back();
  free_large_bytes_ -= oldest.bytes;
  reserved_ -= static_cast<int64_t>(oldest.bytes);
  UnmapHugePages(oldest.base, oldest.bytes);
}

void CentralFreeList::PutLarge(void* memory, size_t bytes) {
  char* block = static_cast<char*>(memory);
  char* base = block - reinterpret_cast<uintptr_t>(block) % kSmallPage;
  MutexLock lock(mu_);
  free_large_.push_front({base, LargeMappingBytes(bytes)});
  free_large_bytes_ += free_large_.front().bytes;
  TrimLarge();
}

void CentralFreeList::TrimLarge() {
  const size_t bound = std::max(kLargeCacheFloor, static_cast<size_t>(peak_.load()));
  while (free_large_bytes_ > bound) DropOldestLarge();
}

bool CentralFreeList::Claim(size_t bytes) {
  if (bytes > SIZE_MAX / 2) return false;
  const auto more = static_cast<int64_t>(bytes);
  int64_t in_use = in_use_.load(std::memory_order_relaxed);
  do {
    if (limit_bytes_ > 0 && more > limit_bytes_ - in_use) return false;
  } while (!in_use_.compare_exchange_weak(in_use, in_use + more, std::memory_order_relaxed));
  return true;
}

void CentralFreeList::Count(int64_t bytes, int64_t allocations) {
  allocations_.fetch_add(allocations, std::memory_order_relaxed);
  const int64_t in_use = in_use_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  int64_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < in_use && !peak_.compare_exchange_weak(peak, in_use, std::memory_order_relaxed)) {
  }
}

AllocatorStats CentralFreeList::Stats() const {
  return {
      .bytes_in_use = in_use_, .peak_bytes_in_use = peak_, .allocations = allocations_, .bytes_reserved = reserved_};
}

void CentralFreeList::Close() {
  MutexLock lock(mu_);
  closed_.store(true, std::memory_order_release);
  for (const Mapping& m : segments_) UnmapHugePages(m.base, m.bytes);
  for (const Mapping& m : free_large_) UnmapHugePages(m.base, m.bytes);
  segments_.clear();
  free_large_.clear();
  free_.fill(nullptr);
  segment_bytes_ = 0;
  free_large_bytes_ = 0;
  reserved_ = 0;
}

}  // namespace dfrun::pool
