#include "kernels/random/candidates.h"

#include <algorithm>
#include <bit>

namespace dfrun {

Result<UnigramCandidates> UnigramCandidates::Create(Allocator& allocator, int64_t range) {
  DF_ASSIGN(Tensor weights, Tensor::Allocate(allocator, DType::kInt32, Shape({range})));
  DF_ASSIGN(Tensor sums, Tensor::Allocate(allocator, DType::kInt32, Shape({range + 1})));
  return UnigramCandidates(std::move(weights), std::move(sums));
}

UnigramCandidates::UnigramCandidates(Tensor weights, Tensor sums)
    : weights_(std::move(weights)), sums_(std::move(sums)), total_(range()) {
  std::fill_n(weights_.data<int32_t>(), range(), 1);
  for (int64_t i = 0; i <= range(); ++i) sums_.data<int32_t>()[i] = static_cast<int32_t>(i & -i);
}

void UnigramCandidates::Add(int64_t value) {
  if (total_ >= kMostWeight) return;
  ++total_;
  ++weights_.data<int32_t>()[value];
  for (int64_t i = value + 1; i <= range(); i += i & -i) ++sums_.data<int32_t>()[i];
}

int64_t UnigramCandidates::ClassAt(int64_t offset) const {
  const int32_t* sums = sums_.data<int32_t>();
  int64_t at = 0;
  for (auto step = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(range()))); step > 0; step /= 2) {
    if (at + step > range() || sums[at + step] > offset) continue;
    at += step;
    offset -= sums[at];
  }
  return at;
}

}  // namespace dfrun
