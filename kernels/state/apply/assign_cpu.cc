#include "kernels/device/cpu_kernel.h"
#include "kernels/state/apply/assign_by.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Assign and AssignVariableOp.
class AssignKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit AssignKernel(KernelSetup& setup)
      : validate_shape_(setup.attr<bool>("validate_shape")), is_ref_(setup.node().inputs[0].is_ref) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(Variable* const variable, VariableInput(ctx, 0));
    const Tensor& value = ctx.input(1);
    MutexLock lock(variable->mu());
    DF_TRY(Check(*variable, value));
    DF_TRY(variable->Assign(value, ctx.device()));
    if (ctx.num_outputs() > 0) ctx.SetOutputRef(0, variable);
    return Status();
  }
  bool IsExpensive() const override { return true; }

 private:
  Status Check(const Variable& variable, const Tensor& value) const {
    if (value.dtype() != variable.dtype()) {
      return InvalidArgument("the variable '", variable.name(), "' is ", variable.dtype(),
                             ", and cannot be assigned a value of ", value.dtype());
    }
    // The first value of a variable behind a handle may have any shape.
    PartialShape wanted = is_ref_ ? variable.declared_shape() : PartialShape();
    if (variable.initialized()) wanted = PartialShape(variable.value().shape());
    if (!validate_shape_ || wanted.IsCompatibleWith(value.shape())) return Status();
    return InvalidArgument("the variable '", variable.name(), "' has shape ", wanted,
                           ", and cannot be assigned a value of shape ", value.shape(),
                           " (validate_shape=false would allow it)");
  }

  const bool validate_shape_;
  const bool is_ref_;
};

CPU_KERNEL_ANY("Assign", AssignKernel);
CPU_KERNEL_ANY("AssignVariableOp", AssignKernel);
CPU_KERNEL("AssignAdd", Update<rule::AddTo>, DF_NUMBERS);
CPU_KERNEL("AssignSub", Update<rule::SubtractFrom>, DF_NUMBERS);
CPU_KERNEL_ATTR("AssignAddVariableOp", "dtype", Update<rule::AddTo>, DF_NUMBERS);
CPU_KERNEL_ATTR("AssignSubVariableOp", "dtype", Update<rule::SubtractFrom>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
