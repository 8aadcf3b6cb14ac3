// The checkpointed state of conditional accumulators: the step that each is at, and the sum so far.
#include "kernels/queues/accumulator.h"
#include "kernels/state/object_state.h"
#include "kernels/state/packed_tensors.h"

namespace dfrun {
namespace {

constexpr size_t kBeforeSum = 2;  // parts

// "step", "count" and those that GradientSum::Save() appends.
std::vector<StatePart> PartsOfSum(DType dtype, bool is_sparse) {
  std::vector<StatePart> parts = {{"step", DType::kInt64, PartialShape::Scalar()},
                                  {"count", DType::kInt32, PartialShape::Scalar()}};
  AddPackedParts("", dtype, parts);
  if (!is_sparse) return parts;
  const PartialShape vector({PartialShape::kUnknown});
  parts.push_back({"indices", DType::kInt64, vector});
  parts.push_back({"counts", DType::kInt32, vector});
  return parts;
}

template <bool kIsSparse>
Result<std::vector<StatePart>> PartsOfAccumulator(const AttrMap& attrs) {
  DF_ASSIGN(const DType dtype, attrs.Get<DType>("dtype"));
  return PartsOfSum(dtype, kIsSparse);
}

KEEPS_STATE(StateBehindHandle<Accumulator>::With(&PartsOfAccumulator<false>), "ConditionalAccumulator",
            "ResourceConditionalAccumulator");
KEEPS_STATE(StateBehindHandle<Accumulator>::With(&PartsOfAccumulator<true>), "SparseConditionalAccumulator");

}  // namespace

Result<std::vector<Tensor>> Accumulator::SaveState(Allocator& allocator) const {
  MutexLock lock(mu_);
  std::vector<Tensor> parts = {Tensor::Scalar(step_), Tensor::Scalar(count_)};
  DF_TRY(sum_->Save(allocator, parts));
  return parts;
}

Status Accumulator::RestoreState(std::span<const Tensor> parts, Allocator& allocator) {
  DF_TRY(CheckParts(parts, PartsOfSum(type_.dtype, type_.is_sparse)));
  std::unique_ptr<GradientSum> sum = NewSum();
  DF_TRY(sum->Restore(parts.subspan(kBeforeSum), allocator));
  Finished finished;
  MutexLock lock(mu_);
  step_ = parts[0].scalar<int64_t>();
  count_ = parts[1].scalar<int32_t>();
  sum_ = std::move(sum);
  ServeLines(finished);
  return Status();
}

}  // namespace dfrun
