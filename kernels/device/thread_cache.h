// The free lists that one thread keeps of one pool.
#ifndef DFRUN_KERNELS_DEVICE_THREAD_CACHE_H_
#define DFRUN_KERNELS_DEVICE_THREAD_CACHE_H_

#include <memory>

#include "kernels/device/central_free_list.h"

namespace dfrun::pool {

// Thread safety: none; its own thread alone uses it.
// Owns: the blocks in its lists. They go back to the pool when the thread ends.
class ThreadCache {
 public:
  explicit ThreadCache(std::shared_ptr<CentralFreeList> central_free_list)
      : central_free_list_(std::move(central_free_list)) {}
  // Gives everything back.
  ~ThreadCache();
  ThreadCache(const ThreadCache&) = delete;
  ThreadCache& operator=(const ThreadCache&) = delete;

  // The calling thread's cache of this pool; null while the thread ends (its caches are gone).
  static ThreadCache* Of(const std::shared_ptr<CentralFreeList>& central_free_list);

  const CentralFreeList& central_free_list() const { return *central_free_list_; }

  void* Take(size_t size_class) {
    List& list = lists_[size_class];
    FreeBlock* const block = list.first != nullptr ? list.first : Refill(size_class);
    if (block == nullptr) return nullptr;
    list.first = block->next;
    --list.length;
    return block;
  }
  void Put(void* memory, size_t size_class) {
    List& list = lists_[size_class];
    auto* block = static_cast<FreeBlock*>(memory);
    block->next = list.first;
    list.first = block;
    if (++list.length > 2 * BatchOf(size_class)) Drain(size_class, BatchOf(size_class));
  }
  void Count(int64_t bytes, int64_t allocations) {
    bytes_ += bytes;
    allocations_ += allocations;
    if (bytes_ > kPortion || bytes_ < -kPortion || allocations_ > kPortion) Publish();
  }

 private:
  struct List {
    FreeBlock* first = nullptr;
    int length = 0;
  };
  static constexpr int64_t kPortion = 16 << 10;  // bytes, or allocations, counted before others see them

  // Blocks moved at once: 64 KiB of them, so that a thread holds at most 128 KiB, or two blocks, a class.
  static constexpr int BatchOf(size_t size_class) {
    const size_t fit = (size_t{64} << 10) / kClassBytes[size_class];
    return fit < 1 ? 1 : fit > 64 ? 64 : static_cast<int>(fit);
  }
  // The first of the blocks that the list has then; null where there is no memory.
  FreeBlock* Refill(size_t size_class);
  void Drain(size_t size_class, int count);
  void Publish();

  const std::shared_ptr<CentralFreeList> central_free_list_;
  std::array<List, kThreadClasses> lists_;
  int64_t bytes_ = 0;
  int64_t allocations_ = 0;
};

}  // namespace dfrun::pool

#endif  // DFRUN_KERNELS_DEVICE_THREAD_CACHE_H_
