#include "kernels/device/cuda/memory/best_fit_pool.h"

#include <algorithm>
#include <iterator>

namespace dfrun::cuda {
namespace {

size_t RoundUp(size_t bytes) {
  return std::max<size_t>(1, (bytes + BestFitPool::kAlignment - 1) / BestFitPool::kAlignment) * BestFitPool::kAlignment;
}

}  // namespace

void* BestFitPool::Allocate(size_t bytes) {
  const size_t wanted = RoundUp(bytes);
  MutexLock lock(mu_);
  if (!MayGive(wanted)) return nullptr;
  auto fit = free_.lower_bound({wanted, nullptr});
  if (fit == free_.end()) {
    if (!AddChunk(wanted)) return nullptr;
    fit = free_.lower_bound({wanted, nullptr});
  }
  const auto block = blocks_.find(fit->second);
  free_.erase(fit);
  SplitBlock(block, wanted);
  block->second.is_free = false;
  stats_.bytes_in_use += static_cast<int64_t>(wanted);
  stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  ++stats_.allocations;
  return block->first;
}

void BestFitPool::Free(void* memory) {
  if (memory == nullptr) return;
  MutexLock lock(mu_);
  auto block = blocks_.find(static_cast<std::byte*>(memory));
  stats_.bytes_in_use -= static_cast<int64_t>(block->second.bytes);
  block->second.is_free = true;
  block = JoinNeighbours(block);
  free_.insert({block->second.bytes, block->first});
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

size_t BestFitPool::MayTake(size_t bytes) const {
  const auto reserved = static_cast<size_t>(stats_.bytes_reserved);
  if (limit_ == 0) return bytes;
  return reserved >= limit_ ? 0 : std::min(bytes, limit_ - reserved);
}

AllocatorStats BestFitPool::Stats() const {
  MutexLock lock(mu_);
  return stats_;
}

void BestFitPool::ResetPeak() {
  MutexLock lock(mu_);
  stats_.peak_bytes_in_use = stats_.bytes_in_use;
}

bool BestFitPool::AddChunk(size_t bytes) {
  const size_t wanted = MayTake(std::max(bytes, next_chunk_));
  if (wanted < bytes) return false;
  size_t taken = wanted;
  void* chunk = take_chunk_(taken);
  if (chunk == nullptr && bytes < wanted) {  // the bytes themselves may still be available
    taken = bytes;
    chunk = take_chunk_(taken);
  }
  if (chunk == nullptr) return false;
  next_chunk_ = std::min(largest_chunk_, 2 * next_chunk_);
  stats_.bytes_reserved += static_cast<int64_t>(taken);
  auto* const begin = static_cast<std::byte*>(chunk);
  blocks_.emplace(begin, Block{taken, true, true});
  free_.insert({taken, begin});
  return true;
}

void BestFitPool::SplitBlock(Blocks::iterator block, size_t bytes) {
  const size_t rest = block->second.bytes - bytes;
  if (rest == 0) return;
  std::byte* const begin = block->first + bytes;
  blocks_.emplace_hint(std::next(block), begin, Block{rest, true, false});
  free_.insert({rest, begin});
  block->second.bytes = bytes;
}

bool BestFitPool::JoinsNext(Blocks::iterator block) const {
  const auto next = std::next(block);
  return next != blocks_.end() && next->second.is_free && !next->second.begins_chunk &&
         block->first + block->second.bytes == next->first;
}

void BestFitPool::JoinNext(Blocks::iterator block) {
  const auto next = std::next(block);
  free_.erase({next->second.bytes, next->first});
  block->second.bytes += next->second.bytes;
  blocks_.erase(next);
}

BestFitPool::Blocks::iterator BestFitPool::JoinNeighbours(Blocks::iterator block) {
  if (JoinsNext(block)) JoinNext(block);
  if (block == blocks_.begin()) return block;
  const auto before = std::prev(block);
  if (!before->second.is_free || !JoinsNext(before)) return block;
  free_.erase({before->second.bytes, before->first});
  before->second.bytes += block->second.bytes;
  blocks_.erase(block);
  return before;
}

}  // namespace dfrun::cuda
