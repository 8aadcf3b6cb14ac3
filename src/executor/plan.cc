#include "src/executor/plan.h"

#include "src/executor/memory_copies.h"
#include "src/executor/plan_builder.h"
#include "src/executor/step_state.h"

namespace dfrun {

ExecPlan::ExecPlan() = default;
ExecPlan::~ExecPlan() = default;

Result<std::unique_ptr<ExecPlan>> ExecPlan::Create(const Graph& partition, Device& device,
                                                   const KernelRegistry& kernels, const PlanOptions& options) {
  std::unique_ptr<ExecPlan> plan(new ExecPlan());
  if (device.has_own_memory()) {
    DF_ASSIGN(const Graph copying, WithMemoryCopies(partition, device, kernels));
    DF_TRY(PlanBuilder(copying, device, kernels, options, *plan).Build());
  } else {
    DF_TRY(PlanBuilder(partition, device, kernels, options, *plan).Build());
  }
  return plan;
}

Result<StepState*> ExecPlan::AcquireState() {
  if (StepState* last = last_used_.exchange(nullptr, std::memory_order_acquire); last != nullptr) return last;
  {
    MutexLock lock(mu_);
    if (!idle_.empty()) {
      StepState* const state = idle_.back();
      idle_.pop_back();
      return state;
    }
  }
  DF_ASSIGN(std::unique_ptr<StepState> made, StepState::Create(*this));
  MutexLock lock(mu_);
  states_.push_back(std::move(made));
  return states_.back().get();
}

void ExecPlan::ReleaseState(StepState* state) {
  StepState* none = nullptr;
  if (last_used_.compare_exchange_strong(none, state, std::memory_order_release, std::memory_order_relaxed)) return;
  MutexLock lock(mu_);
  idle_.push_back(state);
}

}  // namespace dfrun
