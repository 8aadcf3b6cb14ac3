#include "kernels/array/index/gather_cuda.h"

#include "kernels/array/copy/movement_cuda.h"
#include "kernels/state/gather.h"

namespace dfrun {
namespace {

class ResourceGatherKernel final : public ResourceGatherBase {
 public:
  explicit ResourceGatherKernel(KernelSetup& setup)
      : ResourceGatherBase(setup), error_flag_(setup, cuda::kGatherErrorText) {}

 protected:
  Status Gather(OpContext& ctx, const Tensor& value, const GatherLoops& loops, Tensor& output) const override {
    return cuda::GatherRows(ctx, value, ctx.input(1), loops, output, error_flag_.word());
  }

 private:
  const cuda::DeviceErrorFlag error_flag_;
};

class ResourceGatherNdKernel final : public ResourceGatherNdBase {
 public:
  explicit ResourceGatherNdKernel(KernelSetup& setup)
      : ResourceGatherNdBase(setup), error_flag_(setup, cuda::kGatherErrorText) {}

 protected:
  Status Gather(OpContext& ctx, const Tensor& value, const CoordinatePlan& plan, Tensor& output) const override {
    return cuda::GatherSlices(ctx, value, ctx.input(1), plan, BadIndices::kError, output, error_flag_.word());
  }

 private:
  const cuda::DeviceErrorFlag error_flag_;
};

CUDA_KERNEL_ATTR("ResourceGather", "dtype", cuda::ByBytes<ResourceGatherKernel>, DF_PLAIN);
CUDA_KERNEL_ATTR("ResourceGatherNd", "dtype", cuda::ByBytes<ResourceGatherNdKernel>, DF_PLAIN);

}  // namespace
}  // namespace dfrun
