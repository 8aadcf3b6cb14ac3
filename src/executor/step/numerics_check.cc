#include "src/executor/step/numerics_check.h"

#include <chrono>
#include <utility>

#include "src/executor/step/forward_value.h"
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
  const bool copies = copies_values();
  if (copies) inputs.copies = ValueCopies(keep_bytes_);
  const NodeInfo& info = plan.info(node);
  const uint32_t* const in = plan.inputs() + plan.records()[node].first_input;
  for (size_t i = 0; i < info.inputs.size(); ++i) {
    const Tensor& slot = slots[in[i]];
    const Tensor& value = ValueIn(slot);
    const bool is_asked = slot.is_reference() ? inputs.variable.empty() : inputs.is_finite;
    if (!is_asked && !copies) continue;
    const Tensor in_host = InHost(plan, value);
    if (copies) inputs.copies.Add(value, in_host, plan.device(), StrCat("input ", i));
    if (!is_asked || AllFinite(in_host)) continue;
    if (slot.is_reference()) {
      inputs.variable = slot.variable()->name();
      inputs.fault = DescribeNotFinite(in_host);
    } else {
      inputs.is_finite = false;
    }
  }
  return inputs;
}

SeenNode NumericsCheck::Seen(const ExecPlan& plan, uint32_t node, const Tensor* outputs, const Inputs& inputs) const {
  const NodeInfo& info = plan.info(node);
  SeenNode seen{.name = info.name, .device = plan.device().full_name()};
  ValueCopies copies(inputs.copies.room());
  for (size_t i = 0; i < info.outputs.size(); ++i) {
    if (outputs[i].is_reference()) {
      copies.AddNone();
    } else {
      copies.Add(outputs[i], InHost(plan, outputs[i]), plan.device(), StrCat("output ", i));
    }
  }
  seen.inputs = inputs.copies.values();
  seen.outputs = copies.values();
  seen.missing = inputs.copies.missing().empty() ? copies.missing() : inputs.copies.missing();
  return seen;
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
  const int64_t time_ns = SteadyClockNs();
  SeenNode seen = copies_values() ? Seen(plan, node, outputs, inputs) : SeenNode();
  MutexLock lock(mu_);
  if (has_found_.exchange(true)) return;
  first_ = {std::move(message), time_ns, std::move(seen)};
}

NumericsCheck::Finding NumericsCheck::finding() const {
  MutexLock lock(mu_);
  return first_;
}

}  // namespace dfrun
