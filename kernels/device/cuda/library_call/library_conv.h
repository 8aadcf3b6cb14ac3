// Convolutions, and their gradients, by cuDNN on a GPU.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CALL_LIBRARY_CONV_H_
#define DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CALL_LIBRARY_CONV_H_

#include <cuda_runtime_api.h>

#include <memory>

#include "kernels/device/cuda/library/conv_plan.h"
#include "src/framework/kernel/op_context.h"

namespace dfrun::cuda {

// The tensors of a convolution. Their addresses have the libraries' alignment (library.h).
struct ConvData {
  const void* input;
  const void* filter;
  const void* output;
  const void* bias = nullptr;  // only a plan with an epilogue has one
};

// A plan and the GPU that runs it.
// Thread safety: any thread.
class LibraryConv {
 public:
  virtual ~LibraryConv() = default;
  // Unimplemented where the library has no such way, NotFound where it is absent.
  static Result<std::shared_ptr<const LibraryConv>> Create(const ConvTask& task, int gpu);

  // Enqueues it.
  virtual Status Run(OpContext& ctx, const ConvData& data) const = 0;
  // Enqueues the work on a stream of the GPU. `workspace` is workspace_bytes() of its memory that nothing else uses
  // meanwhile.
  virtual Status Enqueue(cudaStream_t stream, const ConvData& data, void* workspace) const = 0;
  virtual int64_t workspace_bytes() const = 0;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CALL_LIBRARY_CONV_H_
