#include "kernels/device/cuda/library_call/plan_call.h"

#include <vector>

#include "kernels/device/cuda/runtime/cuda_kernel.h"

namespace dfrun::cuda {

Result<PlanCall> PlanCall::Create(int gpu, Make make) {
  if (!Cudnn::Get().ok()) return Cudnn::Get().status();
  const Cudnn& cudnn = **Cudnn::Get();
  DF_ASSIGN(const cudnnHandle_t handle, cudnn.Handle(gpu));
  DF_ASSIGN(std::unique_ptr<const CudnnPlan> plan, make(CudnnTarget::OfGpu(cudnn, handle)));
  return PlanCall(cudnn, handle, std::move(plan));
}

Status PlanCall::Run(OpContext& ctx, std::span<const PlanTensor> tensors) const {
  DF_ASSIGN(Tensor workspace, ctx.AllocateTemp(DType::kUint8, Shape({workspace_bytes()})));
  return EnqueueLibraryCall(ctx, static_cast<size_t>(workspace_bytes()),
                            [&](cudaStream_t stream) { return Enqueue(stream, tensors, workspace.raw()); });
}

Status PlanCall::Enqueue(cudaStream_t stream, std::span<const PlanTensor> tensors, void* workspace) const {
  std::vector<int64_t> ids;
  std::vector<const void*> pointers;
  for (const PlanTensor& tensor : tensors) {
    ids.push_back(tensor.id);
    pointers.push_back(tensor.data);
  }
  CudnnDescriptor pack(*cudnn_, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, "bind the tensors of a plan");
  pack.SetInts(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
  pack.Set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, static_cast<int64_t>(pointers.size()),
           pointers.data());
  pack.SetOne(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace);
  DF_TRY(pack.Finalize());
  static Mutex& mu = *new Mutex();  // a handle is one thread's at a time
  MutexLock lock(mu);
  DF_TRY(cudnn_->Check(cudnn_->cudnnSetStream(handle_, stream), "use a stream"));
  return cudnn_->Check(cudnn_->cudnnBackendExecute(handle_, plan_->get(), pack.get()), "run a plan");
}

}  // namespace dfrun::cuda
