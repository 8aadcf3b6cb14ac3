#include "kernels/array/identity.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class NoOpKernel : public Kernel {
 public:
  explicit NoOpKernel(KernelSetup&) {}
  Status Compute(OpContext&) { return Status(); }
};

// Checks the shape that the attr promises, since readers of the output count on it.
class CheckedShapeKernel : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit CheckedShapeKernel(KernelSetup& setup) : shape_(setup.attr<PartialShape>("shape")) {}
  Status Compute(OpContext& ctx) {
    const Tensor& value = ctx.input(0);
    if (!shape_.IsCompatibleWith(value.shape())) {
      return InvalidArgument("the input has the shape ", value.shape(), ", but attr 'shape' promises ", shape_);
    }
    ctx.SetOutput(0, value);
    return Status();
  }

 private:
  const PartialShape shape_;
};

CPU_KERNEL_ANY("NoOp", NoOpKernel);
CPU_KERNEL_ANY("Identity", IdentityKernel);
CPU_KERNEL_ANY("IdentityN", IdentityKernel);
CPU_KERNEL_ANY("StopGradient", IdentityKernel);
CPU_KERNEL_ANY("PreventGradient", IdentityKernel);
CPU_KERNEL_ANY("EnsureShape", CheckedShapeKernel);
CPU_KERNEL_ANY("PlaceholderWithDefault", CheckedShapeKernel);

}  // namespace
}  // namespace dfrun
