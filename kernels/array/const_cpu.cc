#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class ConstKernel : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit ConstKernel(KernelSetup& setup) : value_(setup.attr<Tensor>("value")) {}
  Status Compute(OpContext& ctx) {
    ctx.SetOutput(0, value_);
    return Status();
  }
  Tensor FixedOutput() const override { return value_; }

 private:
  const Tensor value_;
};

class HostConstKernel final : public ConstKernel {
 public:
  static constexpr std::string_view kHostOutputs[] = {"output"};
  using ConstKernel::ConstKernel;
};

class PlaceholderKernel : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit PlaceholderKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    return InvalidArgument("the placeholder '", ctx.node().name, "' (", ctx.node().outputs[0].dtype,
                           ") was not fed: give it a value in the step's feeds");
  }
};

CPU_KERNEL_ANY("Const", ConstKernel);
DEVICE_KERNEL_ANY(kAnyDevice, "_HostConst", HostConstKernel);
CPU_KERNEL_ANY("Placeholder", PlaceholderKernel);

}  // namespace
}  // namespace dfrun
