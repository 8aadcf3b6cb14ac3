#include "kernels/device/cuda/runtime/upload_memory.h"

#include <algorithm>
#include <vector>

#include "kernels/device/cuda/runtime/current_gpu.h"
#include "src/base/integers.h"

namespace dfrun::cuda {

void* UploadMemory::Allocate(size_t bytes) {
  const size_t wanted = CeilDiv(bytes, BestFitPool::kAlignment) * BestFitPool::kAlignment;
  MakeCurrent(index_);
  MutexLock lock(mu_);
  const auto free = FindFree(wanted);
  const auto blocks =
      std::count_if(blocks_.begin(), blocks_.end(), [&](const auto& block) { return block.second.bytes == wanted; });
  const bool is_at_hand =
      free != blocks_.end() && (blocks >= kBlocksOfASize || cudaEventQuery(free->second.last_use) == cudaSuccess);
  if (!is_at_hand) {
    if (void* const memory = TakeNew(wanted); memory != nullptr) return memory;
  }
  if (free != blocks_.end()) {
    free->second.is_free = false;
    return const_cast<void*>(free->first);
  }
  KeepFree(0);
  return TakeNew(wanted);
}

UploadMemory::Blocks::iterator UploadMemory::FindFree(size_t bytes) {
  auto found = blocks_.end();
  for (auto block = blocks_.begin(); block != blocks_.end(); ++block) {
    if (!block->second.is_free || block->second.bytes != bytes) continue;
    if (found == blocks_.end() || block->second.freed < found->second.freed) found = block;
  }
  return found;
}

// Takes a new block. Enqueued work may use the memory that the GPU gives for it.
void* UploadMemory::TakeNew(size_t bytes) {
  Block block{.bytes = bytes};
  if (cudaEventCreateWithFlags(&block.last_use, cudaEventDisableTiming) != cudaSuccess) return nullptr;
  void* const memory = memory_.TryAllocate(bytes);
  if (memory == nullptr) {
    cudaEventDestroy(block.last_use);
    return nullptr;
  }
  cudaEventRecord(block.last_use, stream_);
  blocks_[memory] = block;
  return memory;
}

void UploadMemory::Free(void* memory, size_t) {
  if (memory == nullptr) return;
  MakeCurrent(index_);
  MutexLock lock(mu_);
  Block& block = blocks_.at(memory);
  cudaEventRecord(block.last_use, stream_);
  block.is_free = true;
  block.freed = frees_++;
  KeepFree(kMaxFree);
}

void UploadMemory::GiveBackFree() {
  MakeCurrent(index_);
  MutexLock lock(mu_);
  KeepFree(0);
}

void UploadMemory::KeepFree(int most) {
  std::vector<Blocks::iterator> free;
  for (auto block = blocks_.begin(); block != blocks_.end(); ++block) {
    if (block->second.is_free) free.push_back(block);
  }
  std::sort(free.begin(), free.end(), [](const auto& a, const auto& b) { return a->second.freed < b->second.freed; });
  for (size_t i = 0; i + static_cast<size_t>(most) < free.size(); ++i) GiveBack(free[i]);
}

void UploadMemory::GiveBack(Blocks::iterator block) {
  cudaEventDestroy(block->second.last_use);
  memory_.Free(const_cast<void*>(block->first), block->second.bytes);
  blocks_.erase(block);
}

cudaEvent_t UploadMemory::LastUse(const void* memory) {
  MutexLock lock(mu_);
  const auto found = blocks_.find(memory);
  return found == blocks_.end() ? nullptr : found->second.last_use;
}

}  // namespace dfrun::cuda
