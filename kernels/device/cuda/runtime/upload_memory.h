// UploadMemory: a GPU's memory for large values that come from the host. A copy engine writes them while the GPU works,
// so that the values of a step arrive during the step before it. A block that is given out again waits for the work
// that was enqueued before it was freed, and there are two blocks of a size, which take turns.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_UPLOAD_MEMORY_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_UPLOAD_MEMORY_H_

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <string_view>

#include "kernels/device/cuda/memory/pool_allocator.h"
#include "src/base/mutex.h"
#include "src/framework/values/allocator.h"

namespace dfrun::cuda {

// Memory for copies to one GPU, of which it keeps some free blocks.
// Thread safety: all methods from any thread.
class UploadMemory final : public Allocator {
 public:
  // `memory` is that of GPU `index`, `stream` the one of its work: both outlive this, and the stream may be made later,
  // before the first Allocate().
  UploadMemory(int index, PoolAllocator& memory, const cudaStream_t& stream)
      : Allocator(MemoryKind::kDevice), index_(index), memory_(memory), stream_(stream) {}

  std::string_view name() const override { return "uploads"; }
  void* Allocate(size_t bytes) override EXCLUDES(mu_);
  // Frees a block. Work on the GPU's stream may still use it, but copies to it are done.
  void Free(void* memory, size_t bytes) override EXCLUDES(mu_);
  // The GPU's memory counts the blocks.
  AllocatorStats Stats() const override { return {}; }
  void ResetPeak() override {}

  // Gives free blocks back to the GPU.
  void GiveBackFree() EXCLUDES(mu_);
  // The event that the stream which copies to a block must wait for; null: the memory is not from here.
  cudaEvent_t LastUse(const void* memory) EXCLUDES(mu_);

 private:
  struct Block {
    size_t bytes = 0;
    cudaEvent_t last_use = nullptr;
    bool is_free = false;
    int64_t freed = 0;  // a block's number among those that were given back
  };
  using Blocks = std::map<const void*, Block>;

  static constexpr int kBlocksOfASize = 2;
  static constexpr int kMaxFree = 4;

  // One that was given back: where there is a choice, the one that is the first to be done with.
  Blocks::iterator FindFree(size_t bytes) REQUIRES(mu_);
  void* TakeNew(size_t bytes) REQUIRES(mu_);
  // Gives free blocks back to the GPU until so many are left, the oldest first.
  void KeepFree(int most) REQUIRES(mu_);
  void GiveBack(Blocks::iterator block) REQUIRES(mu_);

  const int index_;
  PoolAllocator& memory_;
  const cudaStream_t& stream_;
  Mutex mu_;
  Blocks blocks_ GUARDED_BY(mu_);
  int64_t frees_ GUARDED_BY(mu_) = 0;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_UPLOAD_MEMORY_H_
