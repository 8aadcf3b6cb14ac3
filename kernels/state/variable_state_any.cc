// _VariableState and _SetVariableState, on the device of the variable.
#include "kernels/state/variable_access.h"
#include "src/framework/kernel/kernel_registry.h"
#include "src/framework/kernel/object_state.h"

namespace dfrun {
namespace {

class VariableStateKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  static constexpr std::string_view kHostOutputs[] = {"is_initialized"};
  explicit VariableStateKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(Variable* const variable, VariableInput(ctx, 0));
    MutexLock lock(variable->mu());
    if (variable->dtype() != ctx.node().outputs[0].dtype) {
      return InvalidArgument("the variable '", variable->name(), "' is ", variable->dtype(), ", not ",
                             ctx.node().outputs[0].dtype);
    }
    const bool has_value = variable->initialized();
    Tensor value = variable->Snapshot();
    if (!has_value) {
      DF_ASSIGN(value, ctx.AllocateTemp(variable->dtype(), Shape({0})));
    }
    ctx.SetOutput(0, std::move(value));
    ctx.SetOutput(1, Tensor::Scalar(has_value));
    return Status();
  }
};

class SetVariableStateKernel final : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"is_initialized"};
  explicit SetVariableStateKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(Variable* const variable, VariableInput(ctx, 0));
    if (ctx.input(1).dtype() != variable->dtype() || ctx.input(2).num_elements() != 1) {
      return Error(Code::kDataLoss, "the saved state is none of the variable '", variable->name(), "'");
    }
    MutexLock lock(variable->mu());
    if (ctx.input(2).scalar<bool>()) return variable->Assign(ctx.input(1), ctx.device());
    variable->Clear();
    return Status();
  }
};

// The value has the variable's name in a checkpoint.
Result<std::vector<StatePart>> PartsOfVariable(const AttrMap& attrs) {
  DF_ASSIGN(const DType dtype, attrs.Get<DType>("dtype"));
  DF_TRY(CheckKeepable(dtype, "its elements are"));
  return std::vector<StatePart>{{"", dtype, PartialShape()}, {"initialized", DType::kBool, PartialShape::Scalar()}};
}

KEEPS_STATE((ObjectState{.parts = &PartsOfVariable, .save_op = "_VariableState", .restore_op = "_SetVariableState"}),
            "VarHandleOp");
DEVICE_KERNEL_ANY(kAnyDevice, "_VariableState", VariableStateKernel);
DEVICE_KERNEL_ANY(kAnyDevice, "_SetVariableState", SetVariableStateKernel);

}  // namespace
}  // namespace dfrun
