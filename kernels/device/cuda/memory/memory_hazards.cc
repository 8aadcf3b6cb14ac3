#include "kernels/device/cuda/memory/memory_hazards.h"

#include <iterator>

namespace dfrun::cuda {

void MemoryHazards::SplitAt(uintptr_t address) {
  auto after = uses_.upper_bound(address);
  if (after == uses_.begin()) return;
  const auto use = std::prev(after);
  if (use->first == address || use->second.end <= address) return;
  uses_.emplace_hint(after, address, use->second);
  use->second.end = address;
}

MemoryHazards::Uses::iterator MemoryHazards::Cover(uintptr_t begin, uintptr_t end) {
  SplitAt(begin);
  SplitAt(end);
  uintptr_t at = begin;
  for (auto use = uses_.lower_bound(begin); at < end; ++use) {
    const uintptr_t next = use == uses_.end() || use->first > end ? end : use->first;
    if (next > at) use = uses_.emplace_hint(use, at, Use{next, -1, {}});
    at = use->second.end;
  }
  return uses_.find(begin);
}

void MemoryHazards::Read(const MemoryRange& range, int work, std::vector<int>& before) {
  if (range.bytes == 0) return;
  const auto begin = reinterpret_cast<uintptr_t>(range.begin);
  for (auto use = Cover(begin, begin + range.bytes); use != uses_.end() && use->first < begin + range.bytes; ++use) {
    if (use->second.writer >= 0) before.push_back(use->second.writer);
    use->second.readers.push_back(work);
  }
}

void MemoryHazards::Write(const MemoryRange& range, int work, std::vector<int>& before) {
  if (range.bytes == 0) return;
  const auto begin = reinterpret_cast<uintptr_t>(range.begin);
  for (auto use = Cover(begin, begin + range.bytes); use != uses_.end() && use->first < begin + range.bytes; ++use) {
    if (use->second.writer >= 0) before.push_back(use->second.writer);
    before.insert(before.end(), use->second.readers.begin(), use->second.readers.end());
    use->second.writer = work;
    use->second.readers.clear();
  }
}

}  // namespace dfrun::cuda
