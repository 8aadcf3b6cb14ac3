// BestFitPool of the emulated card: each block is memory of its own, which holds NaN when it is given out and from when
// it is given back, so that who reads it then gets wrong values. It stands for kernels/device/cuda/best_fit_pool.cc.
#include <algorithm>

#include "kernels/device/cuda/best_fit_pool.h"
#include "tests/gpu/emulated_graph.h"

namespace dfrun::cuda {
namespace {

// Behind each block, for work that writes further than it may.
constexpr size_t kBehind = 4096;

}  // namespace

void* BestFitPool::Allocate(size_t bytes) {
  const size_t wanted = std::max<size_t>(1, (bytes + kAlignment - 1) / kAlignment) * kAlignment;
  MutexLock lock(mu_);
  if (!MayGive(wanted)) return nullptr;
  std::byte* memory = nullptr;
  if (const auto fit = free_.lower_bound({wanted, nullptr}); fit != free_.end() && fit->first == wanted) {
    memory = fit->second;
    free_.erase(fit);
    blocks_.at(memory).is_free = false;
  } else {
    memory = static_cast<std::byte*>(take_chunk_(wanted + kBehind));
    if (memory == nullptr) return nullptr;
    blocks_.emplace(memory, Block{wanted, false, true});
    stats_.bytes_reserved += static_cast<int64_t>(wanted);
  }
  emulated::Spoil(memory, wanted);
  stats_.bytes_in_use += static_cast<int64_t>(wanted);
  stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  ++stats_.allocations;
  return memory;
}

void BestFitPool::Free(void* memory) {
  if (memory == nullptr) return;
  MutexLock lock(mu_);
  auto& [begin, block] = *blocks_.find(static_cast<std::byte*>(memory));
  emulated::Spoil(memory, block.bytes);
  block.is_free = true;
  free_.insert({block.bytes, begin});
  stats_.bytes_in_use -= static_cast<int64_t>(block.bytes);
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
