#include "src/executor/executor.h"

#include "src/base/denormals.h"
#include "src/executor/run_loop.h"

namespace dfrun {
namespace {

// Works on a shared step until the queue is empty. `ops` have ended; their counts are the step's.
void RunShared(StepState& step, Activation& self, Work* ops, bool give_half) {
  RunLoop<PlainFlow, true> loop(step, self);
  while (ops != nullptr) {
    Work* const next = ops->next;
    step.active().fetch_sub(1, std::memory_order_relaxed);  // this activation counts: it stays above 0
    loop.Absorb(*static_cast<AsyncOp*>(ops));
    ops = next;
  }
  if (give_half && self.queue.size() > 1) loop.Give(self.queue.size() / 2);
  loop.Run();
  step.ReleaseActivation(self);
  if (step.active().fetch_sub(1, std::memory_order_acq_rel) == 1) step.Finish();
}

// Works on a step that is this thread's until it ends, sleeps, or is shared. `ops` have ended.
void RunExclusive(StepState& step, Work* ops) {
  using Loop = RunLoop<PlainFlow, false>;
  Activation& self = step.first();
  Loop loop(step, self);
  for (;;) {
    while (ops != nullptr) {
      Work* const next = ops->next;
      --step.in_flight();
      loop.Absorb(*static_cast<AsyncOp*>(ops));
      ops = next;
    }
    const Loop::Outcome outcome = loop.Run();
    if (outcome == Loop::Outcome::kShare) return RunShared(step, self, step.Share(), /*give_half=*/true);
    ops = step.TakeInbox();
    if (ops != nullptr || outcome == Loop::Outcome::kInbox) continue;
    if (step.in_flight() == 0) return step.Finish();
    if (step.Sleep()) return;
    ops = step.TakeInbox();
  }
}

// Where RunPlan waits.
struct Waiter {
  explicit Waiter(WorkerPool& p) : pool(p) {}
  WorkerPool& pool;
  Status status;
  std::atomic<bool> done{false};

  static void Done(void* arg, Status status) {
    Waiter& self = *static_cast<Waiter*>(arg);
    WorkerPool& pool = self.pool;  // RunPlan may return as soon as it sees done
    self.status = std::move(status);
    self.done.store(true, std::memory_order_release);
    pool.Notify();
  }
};

}  // namespace

void ResumeActivation(Work* work) {
  Activation& self = *static_cast<Activation*>(work);
  RunShared(*self.step, self, nullptr, /*give_half=*/false);
}

void ResumeAsyncOp(Work* work) {
  AsyncOp& op = *static_cast<AsyncOp*>(work);
  op.next = nullptr;
  StepState& step = *op.step;
  if (!step.shared()) return RunExclusive(step, &op);
  Activation& self = step.AcquireActivation();
  step.active().fetch_add(1, std::memory_order_relaxed);
  RunShared(step, self, &op, /*give_half=*/false);
}

void StartPlan(ExecPlan& plan, WorkerPool& pool, const RunArgs& args, Callback done) {
  Result<StepState*> state = plan.AcquireState();
  if (!state.ok()) return done(std::move(state).status());
  StepState& step = **state;
  if (Status s = step.Begin(pool, args, done); !s.ok()) {
    plan.ReleaseState(&step);
    return done(std::move(s));
  }
  step.first().queue.PushRoots(plan.num_roots());
  const ScopedFlushDenormals flush;
  RunExclusive(step, nullptr);
}

Status RunPlan(ExecPlan& plan, WorkerPool& pool, const RunArgs& args) {
  Waiter waiter(pool);
  StartPlan(plan, pool, args, {&Waiter::Done, &waiter});
  pool.HelpUntil([&] { return waiter.done.load(std::memory_order_acquire); });
  return std::move(waiter.status);
}

}  // namespace dfrun
