#include "kernels/random/learned_candidates.h"

#include <algorithm>
#include <utility>

#include "src/framework/kernel/object_state.h"

namespace dfrun {
namespace {

std::vector<StatePart> PartsOf(int64_t range) {
  return {{"weights", DType::kInt32, PartialShape({range})}};
}

Result<std::vector<StatePart>> PartsOfSampler(const AttrMap& attrs) {
  DF_ASSIGN(const int64_t range, attrs.Get<int64_t>("range_max"));
  return PartsOf(range);
}

Result<RefPtr<LearnedCandidates>> ObjectOf(const OpContext& ctx, const StatefulNode& node) {
  const int64_t range = node.shapes.size() == 1 && node.shapes[0].rank() == 1 ? node.shapes[0].dim(0) : 0;
  if (range < 1 || range >= UnigramCandidates::kMaxWeight || node.handles > 0) {
    return InvalidArgument("the state of a sampler is the weights of its classes, and it has no handle");
  }
  return LearnedCandidates::Named(node.object, range, ctx.device());
}

Result<std::vector<Tensor>> SaveSampler(OpContext& ctx, const StatefulNode& node) {
  DF_ASSIGN(const RefPtr<LearnedCandidates> learned, ObjectOf(ctx, node));
  return learned->SaveState(ctx.allocator());
}

Status RestoreSampler(OpContext& ctx, const StatefulNode& node, std::span<const Tensor> parts) {
  DF_ASSIGN(const RefPtr<LearnedCandidates> learned, ObjectOf(ctx, node));
  return learned->RestoreState(parts, ctx.allocator());
}

KEEPS_STATE((ObjectState{&PartsOfSampler, &SaveSampler, &RestoreSampler}), "LearnedUnigramCandidateSampler",
            "ThreadUnsafeUnigramCandidateSampler");

}  // namespace

Result<RefPtr<LearnedCandidates>> LearnedCandidates::Named(const std::string& name, int64_t range, Device& device) {
  const auto make = [&]() -> Result<LearnedCandidates*> {
    DF_ASSIGN(UnigramCandidates made, UnigramCandidates::Create(device.allocator(), std::max<int64_t>(range, 1)));
    return new LearnedCandidates(std::move(made));
  };
  if (name.empty()) {
    DF_ASSIGN(LearnedCandidates* const made, make());
    return RefPtr<LearnedCandidates>(made);
  }
  return device.containers().LookupOrCreate<LearnedCandidates>("", name, make);
}

Result<std::vector<Tensor>> LearnedCandidates::SaveState(Allocator& allocator) {
  MutexLock lock(mu_);
  DF_ASSIGN(Tensor weights, distribution_.weights().Copy(allocator));
  return std::vector<Tensor>{std::move(weights)};
}

Status LearnedCandidates::RestoreState(std::span<const Tensor> parts, Allocator& allocator) {
  MutexLock lock(mu_);
  DF_TRY(CheckParts(parts, PartsOf(distribution_.weights().num_elements())));
  DF_ASSIGN(UnigramCandidates restored, UnigramCandidates::FromWeights(allocator, parts[0]));
  distribution_ = std::move(restored);
  return Status();
}

}  // namespace dfrun
