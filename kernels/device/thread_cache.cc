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

ThreadCache* FindOrAdd(const std::shared_ptr<CentralFreeList>& central_free_list) {
  auto& caches = set.caches;
  std::erase_if(caches, [](const auto& cache) { return cache->central_free_list().closed(); });
  auto it = std::find_if(caches.begin(), caches.end(),
                         [&](auto& cache) { return &cache->central_free_list() == central_free_list.get(); });
  if (it == caches.end()) it = caches.insert(it, std::make_unique<ThreadCache>(central_free_list));
  return it->get();
}

}  // namespace

ThreadCache* ThreadCache::Of(const std::shared_ptr<CentralFreeList>& central_free_list) {
  if (newest != nullptr && newest->central_free_list_.get() == central_free_list.get()) [[likely]]
    return newest;
  if (ended) return nullptr;
  newest = FindOrAdd(central_free_list);
  return newest;
}

ThreadCache::~ThreadCache() {
  Publish();
  if (central_free_list_->closed()) return;  // the blocks are gone already
  for (size_t i = 0; i < kThreadClasses; ++i) central_free_list_->PutBatch(i, lists_[i].first);
}

FreeBlock* ThreadCache::Refill(size_t size_class) {
  List& list = lists_[size_class];
  list.length = BatchOf(size_class);
  list.first = central_free_list_->TakeBatch(size_class, &list.length);
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
  central_free_list_->PutBatch(size_class, first);
}

void ThreadCache::Publish() {
  central_free_list_->Count(bytes_, allocations_);
  bytes_ = 0;
  allocations_ = 0;
}

}  // namespace dfrun::pool
