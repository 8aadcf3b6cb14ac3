#include "src/executor/executor.h"

#include "src/base/denormals.h"
#include "src/executor/dataflow/dataflow_loop.h"
#include "src/executor/dataflow/run_loop.h"

namespace dfrun {
namespace {

// Works on a shared step until the queue is empty. `ops` have ended; their counts are the step's.
template <template <bool> class Loop>
void RunSharedWith(StepState& step, StepWorker& self, Work* ops, bool give_half) {
  Loop<true> loop(step, self);
  while (ops != nullptr) {
    Work* const next = ops->next;
    step.active().fetch_sub(1, std::memory_order_relaxed);  // this worker counts: it stays above 0
    loop.Absorb(*static_cast<AsyncOp*>(ops));
    ops = next;
  }
  const uint32_t ready = Loop<true>::NumReady(self);
  if (give_half && ready > 1) loop.Give(ready / 2);
  loop.Run();
  step.ReleaseWorker(self);
  if (step.active().fetch_sub(1, std::memory_order_acq_rel) == 1) step.Finish();
}

// Works on a step that is this thread's until it ends, sleeps, or is shared. `ops` have ended.
template <template <bool> class Loop>
void RunExclusiveWith(StepState& step, Work* ops) {
  StepWorker& self = step.first();
  Loop<false> loop(step, self);
  for (;;) {
    while (ops != nullptr) {
      Work* const next = ops->next;
      --step.in_flight();
      loop.Absorb(*static_cast<AsyncOp*>(ops));
      ops = next;
    }
    const RunOutcome outcome = loop.Run();
    if (outcome == RunOutcome::kShare || outcome == RunOutcome::kShareAtNode) {
      return RunSharedWith<Loop>(step, self, step.Share(), /*give_half=*/outcome == RunOutcome::kShare);
    }
    ops = step.TakeInbox();
    if (ops != nullptr || outcome == RunOutcome::kInbox) continue;
    if (step.in_flight() == 0) return step.Finish();
    if (!step.pool().PollBriefly([&] { return !step.inbox_empty(); }) && step.Sleep()) return;
    ops = step.TakeInbox();
  }
}

void RunShared(StepState& step, StepWorker& self, Work* ops, bool give_half) {
  if (step.plan().has_control_flow()) return RunSharedWith<DataflowLoop>(step, self, ops, give_half);
  RunSharedWith<RunLoop>(step, self, ops, give_half);
}

void RunExclusive(StepState& step, Work* ops) {
  if (step.plan().has_control_flow()) return RunExclusiveWith<DataflowLoop>(step, ops);
  RunExclusiveWith<RunLoop>(step, ops);
}

// The end of a step, for which RunPlan waits.
struct StepEnd {
  explicit StepEnd(WorkerPool& p) : pool(p) {}
  WorkerPool& pool;
  Status status;
  std::atomic<bool> done{false};

  static void Done(void* arg, Status status) {
    StepEnd& self = *static_cast<StepEnd*>(arg);
    WorkerPool& pool = self.pool;  // RunPlan may return as soon as it sees done
    self.status = std::move(status);
    self.done.store(true, std::memory_order_release);
    pool.Notify();
  }
};

void ResumeWorker(Work* work) {
  StepWorker& self = *static_cast<StepWorker*>(work);
  RunShared(*self.step, self, nullptr, /*give_half=*/false);
}

void ResumeAsyncOp(Work* work) {
  AsyncOp& op = *static_cast<AsyncOp*>(work);
  op.next = nullptr;
  StepState& step = *op.step;
  if (!step.shared()) return RunExclusive(step, &op);
  StepWorker& self = step.AcquireWorker();
  step.active().fetch_add(1, std::memory_order_relaxed);
  RunShared(step, self, &op, /*give_half=*/false);
}

constexpr StepResume kResume = {&ResumeWorker, &ResumeAsyncOp};

}  // namespace

void StartPlan(ExecPlan& plan, WorkerPool& pool, const RunArgs& args, Callback done) {
  Result<StepState*> state = StepState::Acquire(plan, kResume);
  if (!state.ok()) return done(std::move(state).status());
  StepState& step = **state;
  if (Status s = step.Begin(pool, args, done); !s.ok()) {
    plan.states().Return(&step);
    return done(std::move(s));
  }
  if (plan.has_control_flow()) {
    DataflowLoop<false>::PushRoots(step);
  } else {
    RunLoop<false>::PushRoots(step);
  }
  const ScopedFlushDenormals flush;
  RunExclusive(step, nullptr);
}

Status RunPlan(ExecPlan& plan, WorkerPool& pool, const RunArgs& args) {
  StepEnd end(pool);
  StartPlan(plan, pool, args, {&StepEnd::Done, &end});
  pool.HelpUntil([&] { return end.done.load(std::memory_order_acquire); });
  return std::move(end.status);
}

}  // namespace dfrun
