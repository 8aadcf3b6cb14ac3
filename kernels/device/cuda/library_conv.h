// Convolutions, and their gradients, by cuDNN on a card.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CONV_H_
#define DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CONV_H_

#include <memory>
#include <utility>

#include "kernels/device/cuda/conv_plan.h"
#include "src/framework/op_context.h"

namespace dfrun::cuda {

// Where the tensors of a convolution lie, which are for libraries by their addresses (library.h).
struct ConvData {
  const void* input;
  const void* filter;
  const void* output;
  const void* bias = nullptr;  // of a plan with an epilogue
};

// A plan and the card that runs it. Thread safety: any thread.
class LibraryConv {
 public:
  // Unimplemented where the library has no such way, NotFound where it is absent.
  static Result<std::shared_ptr<const LibraryConv>> Create(const ConvTask& task, int card);

  // Enqueues it.
  Status Run(OpContext& ctx, const ConvData& data) const;
  // The same on a stream of the card, with workspace_bytes() of its memory that nothing else uses meanwhile.
  Status Enqueue(cudaStream_t stream, const ConvData& data, void* workspace) const;
  int64_t workspace_bytes() const { return plan_->workspace_bytes(); }

 private:
  LibraryConv(const Cudnn& cudnn, cudnnHandle_t handle, std::unique_ptr<const ConvPlan> plan)
      : cudnn_(cudnn), handle_(handle), plan_(std::move(plan)) {}

  const Cudnn& cudnn_;
  const cudnnHandle_t handle_;
  const std::unique_ptr<const ConvPlan> plan_;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CONV_H_
