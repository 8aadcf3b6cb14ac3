#include "src/executor/capture/subgraph_runner.h"

#include <utility>

#include "src/executor/step/forward_value.h"
#include "src/executor/step/memory_report.h"
#include "src/executor/step/node_actions.h"
#include "src/framework/device/graph_capture.h"
#include "src/framework/kernel/executor_access.h"

namespace dfrun {

SubgraphRunner::SubgraphRunner(const ExecPlan& plan, Device& device, ThreadPool& pool, const StepContext& step)
    : plan_(plan), slots_(plan.root().layout.num_slots), readers_(plan.root().layout.readers) {
  for (const ValueLayout::FixedSlot& fixed : plan.root().layout.fixed) slots_[fixed.slot] = fixed.value;
  ExecutorAccess::BindStep(context_, slots_.data(), device, pool, step);
}

Status SubgraphRunner::Run(std::vector<Tensor> inputs, Observer& observer, std::vector<Tensor>& outputs) {
  outputs.assign(static_cast<size_t>(plan_.num_fetches()), Tensor());
  for (int i = 0; i < plan_.num_feeds(); ++i) {
    if (plan_.feed(i).slot >= 0) slots_[plan_.feed(i).slot] = std::move(inputs[i]);
  }
  inputs.clear();
  for (uint32_t node = 0; node < plan_.num_nodes(); ++node) {
    if (Status status = RunNode(node, observer, outputs); !status.ok()) {
      return WithMemoryReport(AtNode(plan_, node, status), plan_, slots_.data());
    }
  }
  return Status();
}

Status SubgraphRunner::RunNode(uint32_t node, Observer& observer, std::vector<Tensor>& outputs) {
  const NodeRecord& record = plan_.records()[node];
  if ((record.flags & kNodeReadsRefs) != 0) DF_TRY(CheckRefs(plan_, node, slots_.data()));
  const uint32_t* const inputs = plan_.inputs() + record.first_input;
  if ((record.flags & kNodeRetval) != 0) {
    outputs[plan_.detail(node).index] = ValueIn(slots_[*inputs]);
  } else if (record.fn != nullptr) {
    bool is_left_out = false;
    if ((record.flags & kNodeGated) != 0) {
      DF_ASSIGN(is_left_out, observer.LeavesOut(node, slots_.data()));
    }
    if (is_left_out) {
      HandOnVariable(plan_, node, slots_.data());
    } else {
      ExecutorAccess::BindNode(context_, plan_.info(node), inputs, slots_.data() + record.first_output,
                               Forwardable(node));
      const auto call = [&](OpContext& ctx) { return record.fn(record.kernel, ctx); };
      DF_TRY(observer.Call(node, slots_.data(), call, context_));
    }
  }
  Release(node);
  return Status();
}

// Inputs that nothing else reads. Of those that others have read before, a recorded node would have to wait for them.
uint64_t SubgraphRunner::Forwardable(uint32_t node) const {
  uint64_t mask = 0;
  for (const dfrun::Release& release : plan_.releases(node)) {
    if (release.input >= 0 && release.counter < 0) mask |= uint64_t{1} << release.input;
  }
  return mask;
}

void SubgraphRunner::Release(uint32_t node) {
  for (const dfrun::Release& release : plan_.releases(node)) {
    if (release.counter < 0 || --readers_[release.counter] == 0) slots_[release.slot].Reset();
  }
}

bool IsGate(const ExecPlan& plan, uint32_t node) {
  const CaptureTraits* const traits = FindCaptureTraits(plan.device().type(), plan.info(node).op->name);
  return traits != nullptr && traits->is_gate;
}

}  // namespace dfrun
