// _SnapshotVariable, on the device of the variable.
#include "kernels/state/variable_access.h"
#include "src/framework/kernel/kernel_registry.h"

namespace dfrun {
namespace {

class SnapshotKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  static constexpr std::string_view kHostInputs[] = {"token"};
  explicit SnapshotKernel(KernelSetup& setup) : copies_(setup.attr<bool>("copies")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(Variable* const variable, VariableInput(ctx, 0));
    MutexLock lock(variable->mu());
    if (!variable->initialized()) return NoValue(*variable);
    if (!copies_) {
      ctx.SetOutput(0, variable->Snapshot());
      return Status();
    }
    Device& device = ctx.device();
    DF_ASSIGN(Tensor copy, device.Clone(variable->value(), device.AllocatorFor(variable->dtype())));
    ctx.SetOutput(0, std::move(copy));
    return Status();
  }

 private:
  const bool copies_;
};

DEVICE_KERNEL_ANY(kAnyDevice, "_SnapshotVariable", SnapshotKernel);

}  // namespace
}  // namespace dfrun
