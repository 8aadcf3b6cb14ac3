// BestFitPool of the emulated GPU. Each block is memory of its own, which holds NaN when it is given out and after it
// is given back, so that a later reader gets wrong values. A write after that, or behind the block's end, is found when
// the block is given back or given out again. This file replaces kernels/device/cuda/memory/best_fit_pool.cc.
//
// For GPU memory all this is work as the kernels' is: a block is given out again while work that uses it is still
// enqueued, and only the order of the stream keeps the two apart.
#include "kernels/device/cuda/memory/best_fit_pool.h"

#include <algorithm>
#include <cstring>

#include "tests/gpu/emulated_memory.h"
#include "tests/gpu/emulated_settings.h"
#include "tests/gpu/emulated_streams.h"

namespace dfrun::cuda {
namespace {

constexpr int kNan = 0xff;  // value of each byte

// Returns the size that the statistics count.
int64_t Counted(size_t bytes) {
  return static_cast<int64_t>((bytes + BestFitPool::kAlignment - 1) / BestFitPool::kAlignment *
                              BestFitPool::kAlignment);
}

// Executes the work now, or in the order of the GPU if it concerns GPU memory.
void InOrder(const void* memory, emulated::Work work) {
  if (emulated::IsGpuMemory(memory)) {
    emulated::EnqueueInOrderOfMemory(std::move(work));
  } else {
    work();
  }
}

bool HoldsNan(const void* memory, size_t bytes) {
  const auto* const at = static_cast<const unsigned char*>(memory);
  return bytes == 0 || (at[0] == kNan && std::memcmp(at, at + 1, bytes - 1) == 0);
}

void GiveOut(void* memory, size_t bytes) {
  void* const reach = emulated::ReachOf(memory);
  InOrder(memory, [reach, bytes] {
    emulated::AllowWork(reach, bytes);
    if (!HoldsNan(reach, emulated::FencedBytes(bytes))) emulated::Die("memory was written after it was given back");
  });
}

void GiveBack(void* memory, size_t bytes) {
  std::byte* const reach = emulated::Reach(static_cast<std::byte*>(memory));
  InOrder(memory, [reach, bytes] {
    if (!HoldsNan(reach + bytes, emulated::FencedBytes(bytes) - bytes))
      emulated::Die("memory was written behind its end");
    std::memset(reach, kNan, bytes);
    emulated::ForbidWork(reach, bytes);
  });
}

}  // namespace

void* BestFitPool::Allocate(size_t asked) {
  const size_t bytes = std::max<size_t>(asked, 1);
  const size_t fenced = emulated::FencedBytes(bytes);
  MutexLock lock(mu_);
  if (!MayGive(static_cast<size_t>(Counted(bytes)))) return nullptr;
  std::byte* memory = nullptr;
  if (const auto fit = free_.lower_bound({fenced, nullptr}); fit != free_.end() && fit->first == fenced) {
    memory = fit->second;
    free_.erase(fit);
    blocks_.at(memory) = {bytes, false, true};
    GiveOut(memory, bytes);
  } else {
    memory = static_cast<std::byte*>(take_chunk_(fenced));
    if (memory == nullptr) return nullptr;
    blocks_.emplace(memory, Block{bytes, false, true});
    stats_.bytes_reserved += Counted(bytes);
  }
  stats_.bytes_in_use += Counted(bytes);
  stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  ++stats_.allocations;
  return memory;
}

void BestFitPool::Free(void* memory) {
  if (memory == nullptr) return;
  MutexLock lock(mu_);
  auto& [begin, block] = *blocks_.find(static_cast<std::byte*>(memory));
  GiveBack(memory, block.bytes);
  block.is_free = true;
  free_.insert({emulated::FencedBytes(block.bytes), begin});
  stats_.bytes_in_use -= Counted(block.bytes);
}

void BestFitPool::SetLimit(size_t bytes) {
  MutexLock lock(mu_);
  limit_ = bytes == 0 ? 0 : std::max(kAlignment, bytes / kAlignment * kAlignment);
}

size_t BestFitPool::limit() const {
  MutexLock lock(mu_);
  return limit_;
}

bool BestFitPool::MayGive(size_t bytes) const {
  return limit_ == 0 || static_cast<size_t>(stats_.bytes_in_use) + bytes <= limit_;
}

AllocatorStats BestFitPool::Stats() const {
  MutexLock lock(mu_);
  return stats_;
}

void BestFitPool::ResetPeak() {
  MutexLock lock(mu_);
  stats_.peak_bytes_in_use = stats_.bytes_in_use;
}

}  // namespace dfrun::cuda
