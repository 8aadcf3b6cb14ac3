// Inputs and outputs of kernels on GPUs that compute in float whichever 16-bit type they are registered for.
#ifndef DFRUN_KERNELS_NN_FLOAT_IO_CUDA_H_
#define DFRUN_KERNELS_NN_FLOAT_IO_CUDA_H_

#include <array>

#include "src/framework/kernel/kernel.h"

namespace dfrun::cuda {

// bfloat16 and float16 as float in new memory; float as it is.
Result<Tensor> AsFloat(OpContext& ctx, const Tensor& tensor);
// Rounds floats to a tensor of as many bfloat16 or float16.
Status RoundTo(OpContext& ctx, const Tensor& wide, Tensor& narrow);

// Outputs that are computed in float: in place, or rounded at the end.
template <int kOutputs>
class FloatOutputs {
 public:
  explicit FloatOutputs(OpContext& ctx) : ctx_(ctx) {}

  // Allocates output i and returns the memory to write its elements to.
  Result<float*> Add(int i, const Shape& shape) {
    Tensor* output = nullptr;
    DF_TRY(ctx_.AllocateOutput(i, shape, &output));
    if (output->dtype() == DType::kFloat) return output->data<float>();
    DF_ASSIGN(wide_[i], ctx_.AllocateTemp(DType::kFloat, shape));
    narrow_[i] = output;
    return wide_[i].template data<float>();
  }

  // Once all that writes elements is enqueued.
  Status Finish() {
    for (int i = 0; i < kOutputs; ++i) {
      if (narrow_[i] != nullptr) DF_TRY(RoundTo(ctx_, wide_[i], *narrow_[i]));
    }
    return Status();
  }

 private:
  std::array<Tensor, kOutputs> wide_;
  std::array<Tensor*, kOutputs> narrow_ = {};
  OpContext& ctx_;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_NN_FLOAT_IO_CUDA_H_
