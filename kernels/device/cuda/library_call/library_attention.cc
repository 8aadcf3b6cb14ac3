#include "kernels/device/cuda/library_call/library_attention.h"

#include <limits>
#include <utility>
#include <vector>

#include "kernels/device/cuda/library_call/plan_call.h"
#include "kernels/device/shape_cache.h"

namespace dfrun::cuda {
namespace {

class CudnnAttention final : public LibraryAttention {
 public:
  CudnnAttention(const AttentionTask& task, PlanCall call) : task_(task), call_(std::move(call)) {}

  Status Run(OpContext& ctx, const AttentionData& data) const override {
    const float unseen = -std::numeric_limits<float>::infinity();
    const float one = 1;
    std::vector<PlanTensor> tensors = {
        {AttentionPlan::kQueryId, data.query},  {AttentionPlan::kKeyId, data.key},
        {AttentionPlan::kValueId, data.value},  {AttentionPlan::kOutputId, data.output},
        {AttentionPlan::kScaleId, &data.scale}, {AttentionPlan::kLogSumsId, data.log_sums}};
    if (task_.causal) tensors.push_back({AttentionPlan::kUnseenId, &unseen});
    if (!task_.is_gradient) return call_.Run(ctx, tensors);
    DF_ASSIGN(Tensor along, ctx.AllocateTemp(DType::kFloat, Shape({task_.batch, task_.heads, task_.queries})));
    tensors.insert(tensors.end(), {{AttentionPlan::kGradientsId, data.gradients},
                                   {AttentionPlan::kAlongId, along.raw()},
                                   {AttentionPlan::kOneId, &one},
                                   {AttentionPlan::kQueryGradId, data.query_grad},
                                   {AttentionPlan::kKeyGradId, data.key_grad},
                                   {AttentionPlan::kValueGradId, data.value_grad}});
    return call_.Run(ctx, tensors);
  }

 private:
  const AttentionTask task_;
  const PlanCall call_;
};

}  // namespace

Result<std::shared_ptr<const LibraryAttention>> LibraryAttention::Create(const AttentionTask& task, int gpu) {
  static auto& made = *new ShapeCache<std::pair<int, AttentionTask>, LibraryAttention>();
  return made.Get({gpu, task}, [&]() -> Result<std::shared_ptr<const LibraryAttention>> {
    DF_ASSIGN(PlanCall call,
              PlanCall::Create(gpu, [&](const CudnnTarget& target) { return AttentionPlan::Create(target, task); }));
    return std::shared_ptr<const LibraryAttention>(std::make_shared<const CudnnAttention>(task, std::move(call)));
  });
}

}  // namespace dfrun::cuda
