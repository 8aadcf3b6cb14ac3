#include "src/executor/step/plan_snapshot.h"

#include "src/executor/step/step_state.h"

namespace dfrun {

PlanSnapshot LookAt(ExecPlan& plan) {
  PlanSnapshot look;
  plan.states().ForEach([&](PlanState& of_plan, bool in_use) {
    auto& state = static_cast<StepState&>(of_plan);
    const size_t before = look.started.size();
    state.AppendStarted(look.started);
    if (!in_use) return;
    int in_flight = 0;
    for (size_t i = before; i < look.started.size(); ++i) in_flight += look.started[i].has_ended ? 0 : 1;
    if (!state.Rests(in_flight)) ++look.steps_at_work;
  });
  return look;
}

std::vector<uint32_t> NodesBehind(const ExecPlan& plan, uint32_t node) {
  std::vector<bool> seen(plan.num_nodes(), false);
  std::vector<uint32_t> behind;
  const auto reach = [&](uint32_t reader) {
    if (seen[reader]) return;
    seen[reader] = true;
    behind.push_back(reader);
  };
  const auto reach_readers = [&](uint32_t source) {
    const NodeRecord* const record = plan.records() + source;
    for (uint32_t edge = record->first_edge; edge < (record + 1)->first_edge; ++edge) {
      reach(plan.has_control_flow() ? plan.dataflow_edges()[edge].node() : plan.edges()[edge].node());
    }
  };
  reach_readers(node);
  for (size_t i = 0; i < behind.size(); ++i) reach_readers(behind[i]);
  return behind;
}

}  // namespace dfrun
