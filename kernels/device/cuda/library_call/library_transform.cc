#include "kernels/device/cuda/library_call/library_transform.h"

#include "kernels/device/cuda/runtime/cuda_kernel.h"

namespace dfrun::cuda {

Status LibraryTransform::Run(OpContext& ctx, void* x, void* y) const {
  DF_ASSIGN(Tensor workspace, ctx.AllocateTemp(DType::kUint8, Shape({static_cast<int64_t>(workspace_bytes())})));
  return EnqueueLibraryCall(ctx, workspace_bytes(),
                            [&](cudaStream_t stream) { return Enqueue(stream, x, y, workspace.raw()); });
}

}  // namespace dfrun::cuda
