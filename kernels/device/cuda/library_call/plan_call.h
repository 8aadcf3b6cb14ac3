// A plan of cuDNN and the GPU that runs it.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CALL_PLAN_CALL_H_
#define DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CALL_PLAN_CALL_H_

#include <cuda_runtime_api.h>

#include <memory>
#include <span>
#include <utility>

#include "kernels/device/cuda/library/graph_plan.h"
#include "src/base/threads.h"
#include "src/framework/kernel/op_context.h"

namespace dfrun::cuda {

// A tensor of a plan. Its address has the libraries' alignment (library.h), unless it is a number in host memory.
struct PlanTensor {
  int64_t id;
  const void* data;
};

// Thread safety: any thread.
class PlanCall {
 public:
  using Make = FunctionRef<Result<std::unique_ptr<const CudnnPlan>>(const CudnnTarget&)>;
  // Creates a call of the plan that `make` makes for the GPU. NotFound where the library is absent.
  static Result<PlanCall> Create(int gpu, Make make);

  // Enqueues it.
  Status Run(OpContext& ctx, std::span<const PlanTensor> tensors) const;
  // Enqueues the plan on a stream of the GPU. `workspace` is workspace_bytes() of its memory that nothing else uses
  // meanwhile.
  Status Enqueue(cudaStream_t stream, std::span<const PlanTensor> tensors, void* workspace) const;
  int64_t workspace_bytes() const { return plan_->workspace_bytes(); }

 private:
  PlanCall(const Cudnn& cudnn, cudnnHandle_t handle, std::unique_ptr<const CudnnPlan> plan)
      : cudnn_(&cudnn), handle_(handle), plan_(std::move(plan)) {}

  const Cudnn* cudnn_;
  cudnnHandle_t handle_;
  std::unique_ptr<const CudnnPlan> plan_;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CALL_PLAN_CALL_H_
