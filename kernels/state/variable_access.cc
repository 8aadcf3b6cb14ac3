#include "kernels/state/variable_access.h"

#include <functional>

namespace dfrun {

Result<Variable*> VariableInput(const OpContext& ctx, int i) {
  if (ctx.node().inputs[i].is_ref) return &ctx.input_variable(i);
  const Tensor& handle = ctx.input(i);
  if (handle.num_elements() != 1) {
    return InvalidArgument("input ", i, " must be one handle to a variable, but has shape ", handle.shape());
  }
  return handle.scalar<ResourceHandle>().As<Variable>("variable");
}

Status NoValue(const Variable& variable) {
  return FailedPrecondition("the variable '", variable.name(),
                            "' has no value yet: run its initialiser or restore a checkpoint first");
}

void VariableLocks::Insert(Variable* variable) {
  int at = count_;
  while (at > 0 && std::less<>()(variable, sorted_[at - 1])) --at;
  if (at > 0 && sorted_[at - 1] == variable) return;
  for (int i = count_; i > at; --i) sorted_[i] = sorted_[i - 1];
  sorted_[at] = variable;
  ++count_;
}

Status VariableLocks::MakeWritable(std::span<Variable* const> variables, DType dtype,
                                   Device& device) const NO_THREAD_SAFETY_ANALYSIS {
  for (Variable* variable : variables) {
    if (!variable->initialized()) return NoValue(*variable);
    if (variable->dtype() != dtype) {
      return InvalidArgument("the variable '", variable->name(), "' is ", variable->dtype(), ", but ", dtype,
                             " is needed");
    }
    DF_TRY(variable->MakeWritable(device));
  }
  return Status();
}

}  // namespace dfrun
