// LeakyRelu and its gradient: slope alpha where features <= 0, an attr that the element-wise engines cannot pass.
#include "kernels/device/cpu_kernel.h"
#include "kernels/math/element.h"
#include "kernels/math/elementwise.h"
#include "src/framework/element_types.h"
#include "src/framework/kernel_of.h"

namespace dfrun {
namespace {

// slope(features[i]) * values[i]; LeakyRelu is this with values = features.
template <class T>
void Scale(const T* values, const T* features, ComputeType<T> alpha, T* y, int64_t n) {
  using C = ComputeType<T>;
  DF_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < n; ++i) {
    const C value = static_cast<C>(values[i]);
    y[i] = static_cast<T>(static_cast<C>(features[i]) > C(0) ? value : alpha * value);
  }
}

// The last input is `features`, the first the values.
template <class T>
class LeakyReluKernel final : public Kernel {
 public:
  explicit LeakyReluKernel(KernelSetup& setup) : alpha_(static_cast<ComputeType<T>>(setup.attr<float>("alpha"))) {}

  Status Compute(OpContext& ctx) {
    const Tensor& values = ctx.input(0);
    const Tensor& features = ctx.input(ctx.num_inputs() - 1);
    if (!(values.shape() == features.shape())) {
      return InvalidArgument(ctx.node().op->name, ": gradients of shape ", values.shape(), " for features of shape ",
                             features.shape());
    }
    Tensor* y = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, values.shape(), &y));
    const bool streams = !y->SharesBufferWith(values) && IsStreamed(values.num_elements(), sizeof(T));
    MakeElements(ctx.pool(), y->raw(), sizeof(T), values.num_elements(), streams, [&](int64_t at, int64_t n, void* to) {
      Scale(values.data<T>() + at, features.data<T>() + at, alpha_, static_cast<T*>(to), n);
    });
    return Status();
  }

 private:
  const ComputeType<T> alpha_;
};

CPU_KERNEL("LeakyRelu", KernelOf<LeakyReluKernel>, DF_FLOATS);
CPU_KERNEL("LeakyReluGrad", KernelOf<LeakyReluKernel>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
