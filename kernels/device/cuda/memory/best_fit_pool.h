// BestFitPool: a best-fit allocator for memory that it does not touch: a device's, or host memory that a device copies
// from.
//
// A request takes the smallest free block that holds it and leaves the rest free; a block that is given back is joined
// with free neighbours. Chunks are taken from the system when no free block is large enough, each at least twice the
// one before up to a bound, and are never given back. With a limit no more is taken from the system than it says, nor
// given out: chunks may be older than the limit.
//
// Thread safety: all methods from any thread.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_MEMORY_BEST_FIT_POOL_H_
#define DFRUN_KERNELS_DEVICE_CUDA_MEMORY_BEST_FIT_POOL_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory_resource>
#include <set>
#include <utility>

#include "src/base/mutex.h"
#include "src/framework/values/allocator.h"

namespace dfrun::cuda {

class BestFitPool {
 public:
  static constexpr size_t kAlignment = 256;  // alignment of blocks' addresses and sizes

  // `take_chunk` gives memory of the system, aligned as blocks are; null where there is no more.
  BestFitPool(std::function<void*(size_t bytes)> take_chunk, size_t first_chunk, size_t largest_chunk)
      : take_chunk_(std::move(take_chunk)), next_chunk_(first_chunk), largest_chunk_(largest_chunk) {}
  BestFitPool(const BestFitPool&) = delete;
  BestFitPool& operator=(const BestFitPool&) = delete;

  // Null where the system gives no more memory, or the limit is reached.
  void* Allocate(size_t bytes) EXCLUDES(mu_);
  void Free(void* memory) EXCLUDES(mu_);
  // Sets the limit from now on; 0: none.
  void SetLimit(size_t bytes) EXCLUDES(mu_);
  size_t limit() const EXCLUDES(mu_);
  AllocatorStats Stats() const EXCLUDES(mu_);
  void ResetPeak() EXCLUDES(mu_);

 private:
  struct Block {
    size_t bytes;
    bool is_free;
    bool begins_chunk;  // not joined with the block before it
  };
  // The blocks by address. Nodes come from a pool of their own, which asks the system for none once it has grown.
  using Blocks = std::pmr::map<std::byte*, Block>;

  // True if the limit allows `bytes` more to be given out.
  bool MayGive(size_t bytes) const REQUIRES(mu_);
  // The part of a chunk of `bytes` that the limit allows to be taken.
  size_t MayTake(size_t bytes) const REQUIRES(mu_);
  bool AddChunk(size_t bytes) REQUIRES(mu_);
  void* TakeChunk(size_t bytes) REQUIRES(mu_);
  void SplitBlock(Blocks::iterator block, size_t bytes) REQUIRES(mu_);
  Blocks::iterator JoinNeighbours(Blocks::iterator block) REQUIRES(mu_);
  bool JoinsNext(Blocks::iterator block) const REQUIRES(mu_);
  void JoinNext(Blocks::iterator block) REQUIRES(mu_);

  const std::function<void*(size_t)> take_chunk_;
  mutable Mutex mu_;
  size_t next_chunk_ GUARDED_BY(mu_);
  const size_t largest_chunk_;
  size_t limit_ GUARDED_BY(mu_) = 0;
  std::pmr::unsynchronized_pool_resource nodes_;
  Blocks blocks_ GUARDED_BY(mu_){&nodes_};
  std::pmr::set<std::pair<size_t, std::byte*>> free_ GUARDED_BY(mu_){&nodes_};  // by size
  AllocatorStats stats_ GUARDED_BY(mu_);
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_MEMORY_BEST_FIT_POOL_H_
