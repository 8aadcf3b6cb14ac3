#include "src/framework/kernel.h"

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
CPU_KERNEL_ANY("Placeholder", PlaceholderKernel);

}  // namespace
}  // namespace dfrun
