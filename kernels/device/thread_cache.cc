#include "kernels/device/thread_cache.h"

#include <algorithm>

namespace dfrun::pool {
namespace {

// The caches of this thread, one a pool; the newest used is found without a search.
struct CacheSet {
  std::vector<std::unique_ptr<ThreadCache>> caches;
  ~CacheSet();
};

constinit thread_local ThreadCache* newest = nullptr;
constinit thread_local bool ended = false;
thread_local CacheSet set;

CacheSet::~CacheSet() {
  newest = nullptr;
  ended = true;
}

ThreadCache* FindOrAdd(const std::shared_ptr<Central>& central) {
  auto& caches = set.caches;
  std::erase_if(caches, [](const auto& cache) { return cache->central().closed(); });
  auto it = std::find_if(caches.begin(), caches.end(), [&](auto& cache) { return &cache->central() == central.get(); });
  if (it == caches.end()) it = caches.insert(it, std::make_unique<ThreadCache>(central));
  return it->get();
}

}  // namespace

ThreadCache* ThreadCache::Of(const std::shared_ptr<Central>& central) {
  if (newest != nullptr && newest->central_.get() == central.get()) [[likely]]
    return newest;
  if (ended) return nullptr;
  newest = FindOrAdd(central);
  return newest;
}

ThreadCache::~ThreadCache() {
  Publish();
  if (central_->closed()) return;  // the blocks are gone already
  for (size_t i = 0; i < kThreadClasses; ++i) central_->PutBatch(i, lists_[i].first);
}

FreeBlock* ThreadCache::Refill(size_t size_class) {
  List& list = lists_[size_class];
  list.length = BatchOf(size_class);
  list.first = central_->TakeBatch(size_class, &list.length);
  return list.first;
}

void ThreadCache::Drain(size_t size_class, int count) {
  List& list = lists_[size_class];
  FreeBlock* first = list.first;
  FreeBlock* last = first;
  for (int i = 1; i < count; ++i) last = last->next;
  list.first = last->next;
  list.length -= count;
  last->next = nullptr;
  central_->PutBatch(size_class, first);
}

void ThreadCache::Publish() {
  central_->Count(bytes_, allocations_);
  bytes_ = 0;
  allocations_ = 0;
}

}  // namespace dfrun::pool
