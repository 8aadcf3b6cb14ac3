// Inputs and outputs of kernels that compute in float whichever 16-bit type they are registered for; in double where
// they are registered for that.
#ifndef DFRUN_KERNELS_NN_FLOAT_IO_H_
#define DFRUN_KERNELS_NN_FLOAT_IO_H_

#include <array>

#include "kernels/math/functions/element.h"
#include "kernels/math/functions/widen.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// Input i of dtype T with its elements as they are computed in: itself, or a widened copy.
template <class T>
Result<Tensor> FloatInput(OpContext& ctx, int i) {
  const Tensor& input = ctx.input(i);
  if constexpr (std::is_same_v<T, ComputeType<T>>) {
    return input;
  } else {
    DF_ASSIGN(Tensor wide, ctx.AllocateTemp(DType::kFloat, input.shape()));
    ConvertElements(input.data<T>(), input.num_elements(), wide.data<float>(), ctx.pool());
    return wide;
  }
}

// The outputs of a kernel, of dtype T, computed in place, or in float and rounded at the end.
template <class T, int kOutputs>
class FloatOutputs {
  using C = ComputeType<T>;

 public:
  explicit FloatOutputs(OpContext& ctx) : ctx_(ctx) {}

  // Allocates output i and returns the memory to write its elements to.
  Result<C*> Add(int i, const Shape& shape) {
    Tensor* output = nullptr;
    DF_TRY(ctx_.AllocateOutput(i, shape, &output));
    if constexpr (std::is_same_v<T, C>) {
      return output->data<C>();
    } else {
      DF_ASSIGN(wide_[i], ctx_.AllocateTemp(DType::kFloat, shape));
      narrow_[i] = output->data<T>();
      return wide_[i].template data<float>();
    }
  }

  // Once all elements are written.
  Status Finish() {
    for (int i = 0; i < kOutputs; ++i) {
      if (narrow_[i] == nullptr) continue;
      ConvertElements(wide_[i].template data<float>(), wide_[i].num_elements(), narrow_[i], ctx_.pool());
    }
    return Status();
  }

 private:
  std::array<Tensor, kOutputs> wide_;
  std::array<T*, kOutputs> narrow_ = {};
  OpContext& ctx_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_FLOAT_IO_H_
