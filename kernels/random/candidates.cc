#include "kernels/random/candidates.h"

#include <bit>

namespace dfrun {

UnigramCandidates::UnigramCandidates(int64_t range)
    : weights_(static_cast<size_t>(range), 1), sums_(static_cast<size_t>(range) + 1), total_(range) {
  for (int64_t i = 1; i <= range; ++i) sums_[static_cast<size_t>(i)] = static_cast<int32_t>(i & -i);
}

void UnigramCandidates::Add(int64_t value) {
  if (total_ >= kMostWeight) return;
  ++total_;
  ++weights_[static_cast<size_t>(value)];
  const auto size = static_cast<int64_t>(sums_.size());
  for (int64_t i = value + 1; i < size; i += i & -i) ++sums_[static_cast<size_t>(i)];
}

int64_t UnigramCandidates::ClassAt(int64_t place) const {
  int64_t at = 0;
  for (auto step = static_cast<int64_t>(std::bit_floor(sums_.size() - 1)); step > 0; step /= 2) {
    const int64_t next = at + step;
    if (next >= static_cast<int64_t>(sums_.size()) || sums_[static_cast<size_t>(next)] > place) continue;
    at = next;
    place -= sums_[static_cast<size_t>(next)];
  }
  return at;
}

}  // namespace dfrun
