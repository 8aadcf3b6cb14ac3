#include "src/executor/step/node_actions.h"

#include "src/executor/step/forward_value.h"

namespace dfrun {
namespace {

int64_t BytesMoved(Boundary boundary, const Tensor& input, const Tensor& output) {
  const Tensor* moved = boundary == Boundary::kSend ? &ValueIn(input) : boundary == Boundary::kRecv ? &output : nullptr;
  return moved != nullptr && moved->initialized() ? static_cast<int64_t>(moved->num_bytes()) : -1;
}

}  // namespace

Status AtNode(const ExecPlan& plan, uint32_t node, const Status& status) {
  const NodeInfo& info = plan.info(node);
  return status.Annotate(StrCat("node '", info.name, "' (op ", info.op->name, ") on ", plan.device().full_name()));
}

Status CheckRefs(const ExecPlan& plan, uint32_t node, const Tensor* slots) {
  const NodeInfo& info = plan.info(node);
  if (info.op->allows_uninitialized_input) return Status();
  const uint32_t* inputs = plan.inputs() + plan.records()[node].first_input;
  for (size_t i = 0; i < info.inputs.size(); ++i) {
    const Tensor& slot = slots[inputs[i]];
    if (slot.is_reference() && !slot.variable()->initialized()) {
      return FailedPrecondition("attempting to use uninitialized value ", slot.variable()->name(),
                                "; run its initialiser or restore it first");
    }
  }
  return Status();
}

void HandOnVariable(const ExecPlan& plan, uint32_t node, Tensor* slots) {
  const NodeRecord& record = plan.records()[node];
  const NodeInfo& info = plan.info(node);
  if (info.inputs.empty() || !info.inputs[0].is_ref) return;
  const Tensor& variable = slots[plan.inputs()[record.first_input]];
  for (size_t i = 0; i < info.outputs.size(); ++i) {
    if (info.outputs[i].is_ref) slots[record.first_output + i] = variable;
  }
}

Status StoreFetch(const Tensor& slot, Device& device, Tensor& fetch) {
  const Tensor& value = ValueIn(slot);
  if (slot.is_reference() || value.borrowed() || !IsHostMemory(value.memory())) {
    DF_ASSIGN(fetch, device.Clone(value, device.host_allocator()));
  } else {
    fetch = value;
  }
  return Status();
}

void TraceNode(const RunArgs& args, const ExecPlan& plan, uint32_t node, const Tensor* slots, TraceRecord record) {
  const NodeInfo& info = plan.info(node);
  const NodeRecord& in_plan = plan.records()[node];
  const Tensor none{};
  const Tensor& input = info.inputs.empty() ? none : slots[plan.inputs()[in_plan.first_input]];
  const Tensor& output = info.outputs.empty() ? none : slots[in_plan.first_output];
  record.plan = plan.id();
  record.node = node;
  record.step_id = args.step.step_id;
  record.slot = args.slot;
  record.end_ns = TraceSink::NowNs();
  record.bytes = BytesMoved(info.op->traits.boundary, input, output);
  args.trace->Add(record);
}

}  // namespace dfrun
