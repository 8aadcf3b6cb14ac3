#include "src/executor/step/numerics_check.h"

#include <chrono>
#include <utility>

#include "src/framework/kernel/variable.h"
#include "src/framework/values/finite.h"

namespace dfrun {
namespace {

// The value where it can be looked at; none where the device fails, which the step will say.
Tensor InHost(const ExecPlan& plan, const Tensor& value) {
  Result<Tensor> copy = plan.device().ToHostMemory(value);
  return copy.ok() ? *std::move(copy) : Tensor();
}

bool IsFinite(const ExecPlan& plan, const Tensor& value) {
  return AllFinite(InHost(plan, value));
}

// Returns the first output that is not finite; -1: none. A ref's value is the variable's, which the node has not made.
int FindOutput(const ExecPlan& plan, const NodeInfo& info, const Tensor* outputs) {
  for (size_t i = 0; i < info.outputs.size(); ++i) {
    if (!outputs[i].is_reference() && !IsFinite(plan, outputs[i])) return static_cast<int>(i);
  }
  return -1;
}

int64_t SteadyClockNs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

NumericsCheck::Inputs NumericsCheck::Before(const ExecPlan& plan, uint32_t node, const Tensor* slots) const {
  Inputs inputs;
  const NodeInfo& info = plan.info(node);
  const uint32_t* const in = plan.inputs() + plan.records()[node].first_input;
  for (size_t i = 0; i < info.inputs.size(); ++i) {
    const Tensor& slot = slots[in[i]];
    if (!slot.is_reference()) {
      inputs.is_finite = inputs.is_finite && IsFinite(plan, slot);
    } else if (inputs.variable.empty() && !IsFinite(plan, slot.variable()->value())) {
      inputs.variable = slot.variable()->name();
      inputs.fault = DescribeNotFinite(InHost(plan, slot.variable()->value()));
    }
  }
  return inputs;
}

void NumericsCheck::After(const ExecPlan& plan, uint32_t node, const Tensor* slots, const Inputs& inputs) {
  const NodeInfo& info = plan.info(node);
  if (!inputs.is_finite || info.op->traits.boundary == Boundary::kRecv) return;
  const Tensor* const outputs = slots + plan.records()[node].first_output;
  const int output = FindOutput(plan, info, outputs);
  const bool reads_bad = !inputs.variable.empty();
  if (output < 0 && !(reads_bad && info.op->traits.boundary == Boundary::kSend)) return;
  std::string message = StrCat("node '", info.name, "' (op ", info.op->name, ") on ", plan.device().full_name());
  if (reads_bad) {
    message = StrCat(message, " reads the variable '", inputs.variable, "', which held ", inputs.fault,
                     " before the step, as its first value or by the update of an earlier one");
  } else {
    message = StrCat(message, " made ", DescribeNotFinite(InHost(plan, outputs[output])), " in its output ", output,
                     " of shape ", outputs[output].shape(), ", out of ",
                     info.inputs.empty() ? "no inputs" : "inputs that are all finite");
  }
  MutexLock lock(mu_);
  if (first_.message.empty()) first_ = {std::move(message), SteadyClockNs()};
}

NumericsCheck::Finding NumericsCheck::finding() const {
  MutexLock lock(mu_);
  return first_;
}

}  // namespace dfrun
