// PoolAllocator: an allocator of tensors' memory that takes its blocks from a BestFitPool.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_MEMORY_POOL_ALLOCATOR_H_
#define DFRUN_KERNELS_DEVICE_CUDA_MEMORY_POOL_ALLOCATOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "kernels/device/cuda/memory/best_fit_pool.h"
#include "src/framework/device/memory_limit.h"
#include "src/framework/values/allocator.h"

namespace dfrun::cuda {

// Thread safety: all methods from any thread.
class PoolAllocator final : public Allocator, public LimitedMemory {
 public:
  template <class TakeChunk>
  PoolAllocator(std::string_view name, MemoryKind kind, TakeChunk take_chunk, size_t first_chunk, size_t largest_chunk)
      : Allocator(kind), name_(name), pool_(take_chunk, first_chunk, largest_chunk) {}
  std::string_view name() const override { return name_; }
  void* Allocate(size_t bytes) override {
    void* const memory = TryAllocate(bytes);
    if (memory != nullptr || !give_back_) return memory;
    give_back_();
    return TryAllocate(bytes);
  }
  void* TryAllocate(size_t bytes) { return pool_.Allocate(bytes); }
  // Sets a function that frees memory kept for later; it runs when no memory is left. Call this before the first
  // Allocate().
  void SetGiveBack(std::function<void()> give_back) { give_back_ = std::move(give_back); }
  void Free(void* memory, size_t) override { pool_.Free(memory); }
  AllocatorStats Stats() const override { return pool_.Stats(); }
  void ResetPeak() override { pool_.ResetPeak(); }
  void SetLimit(int64_t bytes) { pool_.SetLimit(static_cast<size_t>(bytes)); }
  int64_t limit_bytes() const override { return static_cast<int64_t>(pool_.limit()); }

 private:
  const std::string_view name_;
  BestFitPool pool_;
  std::function<void()> give_back_;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_MEMORY_POOL_ALLOCATOR_H_
