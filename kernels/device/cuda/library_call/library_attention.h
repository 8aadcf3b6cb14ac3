// Attention, and its gradient, by cuDNN on a GPU.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CALL_LIBRARY_ATTENTION_H_
#define DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CALL_LIBRARY_ATTENTION_H_

#include <memory>

#include "kernels/device/cuda/library/attention_plan.h"
#include "src/framework/kernel/op_context.h"

namespace dfrun::cuda {

// The tensors of an attention. Their addresses have the libraries' alignment (library.h).
struct AttentionData {
  float scale;  // factor of the scores
  const void* query;
  const void* key;
  const void* value;
  const void* output;
  const void* log_sums;
  // Tensors that only a gradient has.
  const void* gradients = nullptr;
  const void* query_grad = nullptr;
  const void* key_grad = nullptr;
  const void* value_grad = nullptr;
};

// A plan and the GPU that runs it.
// Thread safety: any thread.
class LibraryAttention {
 public:
  virtual ~LibraryAttention() = default;
  // One for all nodes with the same task, since the library compiles plans of attention when they are made.
  // Unimplemented where the library has no such way, NotFound where it is absent.
  static Result<std::shared_ptr<const LibraryAttention>> Create(const AttentionTask& task, int gpu);

  // Enqueues it.
  virtual Status Run(OpContext& ctx, const AttentionData& data) const = 0;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CALL_LIBRARY_ATTENTION_H_
