// The memory of a recorded subgraph: all that its nodes allocate, in one block, each at the same place each time that
// they allocate in the same order.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_MEMORY_SUBGRAPH_ARENA_H_
#define DFRUN_KERNELS_DEVICE_CUDA_MEMORY_SUBGRAPH_ARENA_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "src/framework/device/graph_capture.h"
#include "src/framework/values/allocator.h"

namespace dfrun::cuda {

// An arena that runs in two rounds. The first gives addresses without memory, to learn how much is needed. If all that
// is ever allocated is little, no memory is used twice, so that no work waits for other work because of memory.
// Thread safety: one thread at a time.
class SubgraphArena final : public Allocator {
 public:
  static constexpr size_t kAlignment = 256;

  // `memory`: where the block is taken from; outlives it.
  explicit SubgraphArena(Allocator& memory) : Allocator(MemoryKind::kDevice), memory_(memory) {}
  ~SubgraphArena() override;

  // Begins the second round. False where there is no memory. Nothing may be allocated.
  bool TakeBlock();
  size_t block_bytes() const { return bytes_; }
  bool has_block() const { return block_ != nullptr; }

  std::string_view name() const override { return "unit"; }
  // Null also where the second round asks for more than the first.
  void* Allocate(size_t bytes) override;
  void Free(void* memory, size_t bytes) override;
  AllocatorStats Stats() const override { return {}; }
  void ResetPeak() override {}

  // The ranges that were allocated since the last call.
  std::vector<MemoryRange> TakeGiven() { return std::exchange(given_, {}); }

 private:
  // The total size up to which every allocation has memory of its own.
  static constexpr size_t kFewBytes = size_t{64} << 20;
  // The base of addresses without memory: nothing lies there, and it is aligned as any block is.
  static constexpr uintptr_t kNoMemory = uintptr_t{1} << 46;

  size_t FindPlace(size_t bytes);
  char* base() const {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): no memory is there
    return block_ != nullptr ? static_cast<char*>(block_) : reinterpret_cast<char*>(kNoMemory);
  }

  Allocator& memory_;
  void* block_ = nullptr;
  size_t bytes_ = 0;               // size of the block
  size_t most_ = 0;                // end of the highest allocation
  size_t all_ = 0;                 // bytes of all allocations
  bool uses_again_ = true;         // true if freed memory is given out again
  std::map<size_t, size_t> used_;  // sizes by place
  std::vector<MemoryRange> given_;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_MEMORY_SUBGRAPH_ARENA_H_
