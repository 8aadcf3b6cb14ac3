#include "kernels/device/cuda/library_call/library_conv.h"

#include <utility>
#include <vector>

#include "kernels/device/cuda/library_call/plan_call.h"

namespace dfrun::cuda {
namespace {

class CudnnConv final : public LibraryConv {
 public:
  explicit CudnnConv(PlanCall call) : call_(std::move(call)) {}

  Status Run(OpContext& ctx, const ConvData& data) const override { return call_.Run(ctx, TensorsOf(data)); }
  Status Enqueue(cudaStream_t stream, const ConvData& data, void* workspace) const override {
    return call_.Enqueue(stream, TensorsOf(data), workspace);
  }
  int64_t workspace_bytes() const override { return call_.workspace_bytes(); }

 private:
  static std::vector<PlanTensor> TensorsOf(const ConvData& data) {
    std::vector<PlanTensor> tensors = {
        {ConvPlan::kInputId, data.input}, {ConvPlan::kFilterId, data.filter}, {ConvPlan::kOutputId, data.output}};
    if (data.bias != nullptr) tensors.push_back({ConvPlan::kBiasId, data.bias});
    return tensors;
  }

  const PlanCall call_;
};

}  // namespace

Result<std::shared_ptr<const LibraryConv>> LibraryConv::Create(const ConvTask& task, int gpu) {
  DF_ASSIGN(PlanCall call,
            PlanCall::Create(gpu, [&](const CudnnTarget& target) { return ConvPlan::Create(target, task); }));
  return std::shared_ptr<const LibraryConv>(std::make_shared<const CudnnConv>(std::move(call)));
}

}  // namespace dfrun::cuda
