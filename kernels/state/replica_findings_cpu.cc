#include "kernels/device/cpu_kernel.h"
#include "kernels/state/variable_access.h"
#include "src/framework/step/replica_findings.h"

namespace dfrun {
namespace {

class ReplicaFindingsKernel final : public Kernel {
 public:
  explicit ReplicaFindingsKernel(KernelSetup& setup) : limit_(setup.attr<int64_t>("limit")) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(Variable* const variable, VariableInput(ctx, 0));
    const auto found = ctx.input(1).scalar<int32_t>();
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &output));
    const VariableLocks locks({&variable, 1});
    DF_TRY(locks.MakeWritable({&variable, 1}, DType::kInt64, ctx.device()));
    Tensor& value = variable->mutable_value();
    if (value.num_elements() != ReplicaFindings::kElements) {
      return InvalidArgument("the variable '", variable->name(), "' of shape ", value.shape(), " has not ",
                             ReplicaFindings::kElements, " elements");
    }
    auto* const state = value.data<int64_t>();
    ReplicaFindings findings{state[0], state[1], state[2], state[3]};
    findings.Add(found, limit_);
    state[0] = findings.number;
    state[1] = findings.steps_since;
    state[2] = findings.row;
    state[3] = findings.total;
    *output->data<int32_t>() = limit_ == 1 ? static_cast<int32_t>(findings.number) : found;
    return Status();
  }

 private:
  const int64_t limit_;
};

CPU_KERNEL_ANY("_ReplicaFindings", ReplicaFindingsKernel);

}  // namespace
}  // namespace dfrun
