#include "src/framework/kernel.h"

namespace dfrun {
namespace {

class NoOpKernel : public Kernel {
 public:
  explicit NoOpKernel(KernelSetup&) {}
  Status Compute(OpContext&) { return Status(); }
};

class IdentityKernel : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit IdentityKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    for (int i = 0; i < ctx.num_inputs(); ++i) ctx.SetOutput(i, ctx.input(i));
    return Status();
  }
};

CPU_KERNEL_ANY("NoOp", NoOpKernel);
CPU_KERNEL_ANY("Identity", IdentityKernel);
CPU_KERNEL_ANY("IdentityN", IdentityKernel);
CPU_KERNEL_ANY("StopGradient", IdentityKernel);
CPU_KERNEL_ANY("PreventGradient", IdentityKernel);
CPU_KERNEL_ANY("PlaceholderWithDefault", IdentityKernel);

}  // namespace
}  // namespace dfrun
