// The primitives of conditionals and loops on CPUs. The executor runs them without a call, since their work is to
// decide which nodes run; these kernels define what happens to their values.
#include "kernels/array/identity.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

Status CheckCondition(const Tensor& condition) {
  if (condition.shape().rank() == 0) return Status();
  return InvalidArgument("the condition must be a scalar, but has shape ", condition.shape());
}

class LoopCondKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit LoopCondKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_TRY(CheckCondition(ctx.input(0)));
    ctx.SetOutput(0, ctx.input(0));
    return Status();
  }
};

class SwitchKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit SwitchKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_TRY(CheckCondition(ctx.input(1)));
    const int live = ctx.input(1).scalar<bool>() ? 1 : 0;
    ctx.SetOutput(live, ctx.input(0));
    return Status();
  }
};

class MergeKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit MergeKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      if (!ctx.input(i).initialized()) continue;
      ctx.SetOutput(0, ctx.input(i));
      ctx.SetOutput(1, Tensor::Scalar<int32_t>(i));
      return Status();
    }
    return InvalidArgument("no input has a value");
  }
};

CPU_KERNEL_ANY("Switch", SwitchKernel);
CPU_KERNEL_ANY("RefSwitch", SwitchKernel);
CPU_KERNEL_ANY("Merge", MergeKernel);
CPU_KERNEL_ANY("RefMerge", MergeKernel);
CPU_KERNEL_ANY("Enter", IdentityKernel);
CPU_KERNEL_ANY("RefEnter", IdentityKernel);
CPU_KERNEL_ANY("Exit", IdentityKernel);
CPU_KERNEL_ANY("RefExit", IdentityKernel);
CPU_KERNEL_ANY("NextIteration", IdentityKernel);
CPU_KERNEL_ANY("RefNextIteration", IdentityKernel);
CPU_KERNEL_ANY("LoopCond", LoopCondKernel);
CPU_KERNEL_ANY("ControlTrigger", IdentityKernel);

}  // namespace
}  // namespace dfrun
