// Convolutions, and their gradients, by cuDNN.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CONV_H_
#define DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CONV_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/device/cuda/cudnn.h"
#include "src/framework/op_context.h"

namespace dfrun::cuda {

// Which of the three tensors is computed of the two others.
enum class ConvResult { kOutput, kInput, kFilter };

// Sizes as the library has them: images and channels first, then the dimensions of space. A filter's are out-channels,
// in-channels of a group, space; it lies as the images do: with channels last, or first.
struct LibraryConvShape {
  std::vector<int64_t> input;
  std::vector<int64_t> filter;
  std::vector<int64_t> output;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> pad_before;
  std::vector<int64_t> pad_after;
  bool channels_first = false;
  bool operator==(const LibraryConvShape&) const = default;
};

// A way that the library has chosen. Results have the same bits in every run, and float32 is not computed in fewer
// bits: ways that say otherwise are not taken. Thread safety: any thread.
class LibraryConv {
 public:
  // Unimplemented where the library has no such way, NotFound where it is absent.
  static Result<std::shared_ptr<const LibraryConv>> Create(ConvResult result, const LibraryConvShape& shape,
                                                           DType dtype, int card);

  // Enqueues it.
  Status Run(OpContext& ctx, const void* input, const void* filter, const void* output) const;

 private:
  explicit LibraryConv(const Cudnn& cudnn) : cudnn_(cudnn) {}

  const Cudnn& cudnn_;
  cudnnHandle_t handle_ = nullptr;
  std::vector<CudnnDescriptor> kept_;  // what the plan is made of
  std::unique_ptr<CudnnDescriptor> plan_;
  int64_t workspace_bytes_ = 0;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CONV_H_
