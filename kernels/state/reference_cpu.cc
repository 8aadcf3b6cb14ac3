#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class RefIdentityKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit RefIdentityKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    ctx.SetOutputRef(0, &ctx.input_variable(0));
    return Status();
  }
};

class RefSelectKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit RefSelectKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& index = ctx.input(0);
    if (index.shape().rank() != 0) {
      return InvalidArgument("the index must be a scalar, but has shape ", index.shape());
    }
    const int32_t chosen = index.scalar<int32_t>();
    if (chosen < 0 || chosen >= ctx.num_inputs() - 1) {
      return InvalidArgument("the index ", chosen, " is not in [0, ", ctx.num_inputs() - 1, ")");
    }
    ctx.SetOutputRef(0, &ctx.input_variable(chosen + 1));
    return Status();
  }
};

CPU_KERNEL_ANY("RefIdentity", RefIdentityKernel);
CPU_KERNEL_ANY("RefSelect", RefSelectKernel);

}  // namespace
}  // namespace dfrun
