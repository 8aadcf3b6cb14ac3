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
  SumWeights();
}

Result<UnigramCandidates> UnigramCandidates::FromWeights(Allocator& allocator, const Tensor& weights) {
  DF_ASSIGN(UnigramCandidates made, Create(allocator, weights.num_elements()));
  int64_t total = 0;
  for (const int32_t weight : weights.values<int32_t>()) {
    total += weight;
    if (weight < 1 || total > kMaxWeight) return Error(Code::kDataLoss, "the saved weights are none of a sampler");
  }
  CopyElements(weights, made.weights_);
  made.total_ = total;
  made.SumWeights();
  return made;
}

// Element i takes in those of which it is the sum: itself and the elements below it whose own sums end there.
void UnigramCandidates::SumWeights() {
  int32_t* const sums = sums_.data<int32_t>();
  sums[0] = 0;
  std::copy_n(weights_.data<int32_t>(), range(), sums + 1);
  for (int64_t i = 1; i <= range(); ++i) {
    const int64_t above = i + (i & -i);
    if (above <= range()) sums[above] += sums[i];
  }
}

void UnigramCandidates::Add(int64_t value) {
  if (total_ >= kMaxWeight) return;
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
