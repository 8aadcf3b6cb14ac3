#include "kernels/device/cuda/library_conv.h"

#include <utility>

#include "kernels/device/cuda/cuda_kernel.h"

namespace dfrun::cuda {

Result<std::shared_ptr<const LibraryConv>> LibraryConv::Create(const ConvTask& task, int card) {
  if (!Cudnn::Get().ok()) return Cudnn::Get().status();
  const Cudnn& cudnn = **Cudnn::Get();
  DF_ASSIGN(const cudnnHandle_t handle, cudnn.Handle(card));
  DF_ASSIGN(std::unique_ptr<const ConvPlan> plan, ConvPlan::Create(CudnnTarget::OfCard(cudnn, handle), task));
  return std::shared_ptr<const LibraryConv>(new LibraryConv(cudnn, handle, std::move(plan)));
}

Status LibraryConv::Run(OpContext& ctx, const ConvData& data) const {
  DF_ASSIGN(Tensor workspace, ctx.AllocateTemp(DType::kUint8, Shape({workspace_bytes()})));
  return EnqueueLibraryCall(ctx, static_cast<size_t>(workspace_bytes()),
                            [&](cudaStream_t stream) { return Enqueue(stream, data, workspace.raw()); });
}

Status LibraryConv::Enqueue(cudaStream_t stream, const ConvData& data, void* workspace) const {
  std::vector<int64_t> ids = {ConvPlan::kInputId, ConvPlan::kFilterId, ConvPlan::kOutputId};
  std::vector<const void*> pointers = {data.input, data.filter, data.output};
  if (data.bias != nullptr) {
    ids.push_back(ConvPlan::kBiasId);
    pointers.push_back(data.bias);
  }
  CudnnDescriptor pack(cudnn_, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, "bind a convolution's tensors");
  pack.SetInts(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
  pack.Set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, static_cast<int64_t>(pointers.size()),
           pointers.data());
  pack.SetOne(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace);
  DF_TRY(pack.Finalize());
  static Mutex& mu = *new Mutex();  // a handle is one thread's at a time
  MutexLock lock(mu);
  DF_TRY(cudnn_.Check(cudnn_.cudnnSetStream(handle_, stream), "use a stream"));
  return cudnn_.Check(cudnn_.cudnnBackendExecute(handle_, plan_->get(), pack.get()), "convolve");
}

}  // namespace dfrun::cuda
