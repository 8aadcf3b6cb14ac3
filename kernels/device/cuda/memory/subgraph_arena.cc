#include "kernels/device/cuda/memory/subgraph_arena.h"

#include <algorithm>

namespace dfrun::cuda {

SubgraphArena::~SubgraphArena() {
  if (block_ != nullptr) memory_.Free(block_, bytes_);
}

bool SubgraphArena::TakeBlock() {
  uses_again_ = all_ > kFewBytes;
  bytes_ = std::max(kAlignment, uses_again_ ? most_ : all_);
  most_ = all_ = 0;
  given_.clear();
  used_.clear();
  block_ = memory_.Allocate(bytes_);
  return block_ != nullptr;
}

// The first gap that is large enough.
size_t SubgraphArena::FindPlace(size_t bytes) {
  if (!uses_again_) return all_;
  size_t place = 0;
  for (const auto& [used, size] : used_) {
    if (used - place >= bytes) break;
    place = used + size;
  }
  return place;
}

void* SubgraphArena::Allocate(size_t bytes) {
  const size_t wanted = std::max<size_t>(1, (bytes + kAlignment - 1) / kAlignment) * kAlignment;
  const size_t place = FindPlace(wanted);
  if (block_ != nullptr && place + wanted > bytes_) return nullptr;
  used_[place] = wanted;
  all_ += wanted;
  most_ = std::max(most_, place + wanted);
  char* const memory = base() + place;
  given_.push_back({memory, bytes});
  return memory;
}

void SubgraphArena::Free(void* memory, size_t) {
  if (memory != nullptr) used_.erase(static_cast<size_t>(static_cast<char*>(memory) - base()));
}

}  // namespace dfrun::cuda
