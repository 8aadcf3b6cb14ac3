#include "kernels/device/cpu_allocator.h"

#include <cstdlib>

#include "kernels/device/thread_cache.h"
#include "src/base/integers.h"

#if defined(__SANITIZE_ADDRESS__)
#define DF_POOL_BYPASSED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DF_POOL_BYPASSED 1
#endif
#endif
#ifndef DF_POOL_BYPASSED
#define DF_POOL_BYPASSED 0
#endif

namespace dfrun {

using pool::FreeBlock;
using pool::ThreadCache;

namespace {

constexpr size_t kMaxBypassedBytes = size_t{1} << 36;

// Takes one block, for threads that have no cache, or none any more.
void* TakeShared(pool::CentralFreeList& central_free_list, size_t size_class) {
  int count = 1;
  return central_free_list.TakeBatch(size_class, &count);
}

void PutShared(pool::CentralFreeList& central_free_list, size_t size_class, void* memory) {
  auto* block = static_cast<FreeBlock*>(memory);
  block->next = nullptr;
  central_free_list.PutBatch(size_class, block);
}

}  // namespace

CpuAllocator::CpuAllocator(int64_t limit_bytes)
    : central_free_list_(std::make_shared<pool::CentralFreeList>(limit_bytes)) {}

CpuAllocator::~CpuAllocator() {
  central_free_list_->Close();
}

void* CpuAllocator::Take(size_t size_class, size_t bytes, ThreadCache* cache) {
  if constexpr (DF_POOL_BYPASSED) {
    // The sanitizer ends the program where a heap block is impossibly large.
    return bytes <= kMaxBypassedBytes ? std::aligned_alloc(kAlignment, RoundUp(bytes, kAlignment)) : nullptr;
  }
  if (cache != nullptr) [[likely]]
    return cache->Take(size_class);
  if (size_class < pool::kClasses) return TakeShared(*central_free_list_, size_class);
  return central_free_list_->TakeLarge(bytes);
}

void* CpuAllocator::Allocate(size_t bytes) {
  if (bytes == 0) bytes = 1;
  const size_t size_class = pool::SizeClass(bytes);
  ThreadCache* const cache = size_class < pool::kThreadClasses ? ThreadCache::Of(central_free_list_) : nullptr;
  if (cache != nullptr) [[likely]] {
    if (!central_free_list_->MayGive(bytes)) return nullptr;
    void* const memory = Take(size_class, bytes, cache);
    if (memory != nullptr) cache->Count(static_cast<int64_t>(bytes), 1);
    return memory;
  }
  if (!central_free_list_->Claim(bytes)) return nullptr;
  void* const memory = Take(size_class, bytes, cache);
  central_free_list_->Count(memory == nullptr ? -static_cast<int64_t>(bytes) : 0, memory == nullptr ? 0 : 1);
  return memory;
}

void CpuAllocator::Free(void* memory, size_t bytes) {
  if (bytes == 0) bytes = 1;
  ThreadCache* cache = ThreadCache::Of(central_free_list_);
  const size_t size_class = pool::SizeClass(bytes);
  if constexpr (DF_POOL_BYPASSED) {
    std::free(memory);
  } else if (size_class < pool::kThreadClasses && cache != nullptr) [[likely]] {
    cache->Put(memory, size_class);
  } else if (size_class < pool::kClasses) {
    PutShared(*central_free_list_, size_class, memory);
  } else {
    central_free_list_->PutLarge(memory, bytes);
  }
  if (cache != nullptr && size_class < pool::kThreadClasses) [[likely]] {
    cache->Count(-static_cast<int64_t>(bytes), 0);
  } else {
    central_free_list_->Count(-static_cast<int64_t>(bytes), 0);
  }
}

AllocatorStats CpuAllocator::Stats() const {
  return central_free_list_->Stats();
}

void CpuAllocator::ResetPeak() {
  central_free_list_->ResetPeak();
}

int64_t CpuAllocator::limit_bytes() const {
  return central_free_list_->limit_bytes();
}

}  // namespace dfrun
