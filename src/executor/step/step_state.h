// The state of a step in flight: its values, its workers and its end.
//
// A step begins exclusive: one worker (a thread with a ready queue) runs it and counts without atomic operations;
// asynchronous kernels that end meanwhile leave their ops in the inbox. If none is left to run but some are in flight,
// the step sleeps, and the next callback submits it to the pool. It becomes shared, once and for good, when its worker
// gives work away: from then on counters are atomic, `active` counts workers and operations in flight, and callbacks
// submit their own ops. The thread that takes the last of them away ends the step.
#ifndef DFRUN_SRC_EXECUTOR_STEP_STEP_STATE_H_
#define DFRUN_SRC_EXECUTOR_STEP_STEP_STATE_H_

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "src/base/mutex.h"
#include "src/executor/plan/plan.h"
#include "src/executor/step/run_args.h"
#include "src/executor/step/started_node.h"
#include "src/executor/step/step_values.h"
#include "src/executor/step/step_work.h"

namespace dfrun {

class Frames;

// Tells a step with loops, which may run without waiting for anything, that it has failed elsewhere.
class StepCanceller final : public Waiter {
 public:
  explicit StepCanceller(StepState& step) : step_(step) {}
  // The error of a cancellation that has happened.
  Status Watch(Cancellation& cancellation);
  // Waits for a Cancel() under way. Call when nothing of the step runs any more.
  void Stop();
  void Cancel(const Status& status) override;

 private:
  StepState& step_;
  Cancellation* watched_ = nullptr;
  std::atomic<bool> cancelled_{false};
};

// Reused by later steps of its plan.
// Thread safety: as each method says.
class StepState final : public PlanState {
 public:
  // A state for a step of the plan: a used one where there is one. All calls of a plan have the same `resume`, which
  // outlives the plan. ResourceExhausted if there is no memory for the arena.
  static Result<StepState*> Acquire(ExecPlan& plan, const StepResume& resume);
  ~StepState() override;
  StepState(const StepState&) = delete;
  StepState& operator=(const StepState&) = delete;

  // Begins a step; one thread calls it, before the step runs. InvalidArgument names a feed that does not fit the plan.
  Status Begin(WorkerPool& pool, const RunArgs& args, Callback done);
  // Gives the state back to the plan once the device has done the enqueued work, then calls `done`. One thread calls
  // it, when nothing of the step is left to be called.
  void Finish();

  ExecPlan& plan() { return plan_; }
  WorkerPool& pool() { return *pool_; }
  const RunArgs& args() const { return args_; }
  StepValues& values() { return *values_; }
  // The worker that begins the step.
  StepWorker& first() { return first_; }
  // The op of frame 0's i-th asynchronous node.
  AsyncOp& async_op(int i) { return async_[i]; }
  // The frames of a plan with control flow; call only if it has some.
  Frames& frames() { return *frames_; }
  // A lack of memory says in which turn of a loop it was met.
  Status AtTurn(uint64_t iteration, const Status& status);

  // Fails the step. The first failure counts; it ends all waits of the step.
  // Thread safety: any thread.
  void Fail(const Status& status);
  bool failed() const { return failed_.load(std::memory_order_relaxed); }

  // Withholds the step's updates if its gate has found a value that is not finite: the updates that wait for the gate,
  // by whatever path, are left out.
  // Thread safety: any thread.
  void ObeyGate(int32_t found, uint32_t group) {
    if (found != 0) [[unlikely]]
      args_.withheld->Withhold(found, group);
  }
  bool IsWithheld(uint32_t group) const { return args_.withheld->Has(group); }

  // Gives out a worker with an empty queue, and takes it back.
  // Thread safety: any thread.
  StepWorker& AcquireWorker();
  void ReleaseWorker(StepWorker& worker);

  // Only the thread that has the step exclusively may call these.
  bool shared() const { return shared_; }
  int& in_flight() { return in_flight_; }
  bool inbox_empty() const { return inbox_.load(std::memory_order_relaxed) == nullptr; }
  // Takes the works that came into the inbox since, oldest first, linked by Work::next.
  Work* TakeInbox();
  // Leaves the step to the next callback; false if there is something in the inbox. After true the step is not ours.
  bool Sleep();
  // Makes the step shared and returns the works in the inbox; later callbacks submit theirs.
  Work* Share();

  // The callback of an asynchronous kernel, on any thread; `op` is an AsyncOp.
  static void OpDone(void* op, Status status);

  // Whether no thread works on the step, nor is about to. `in_flight` of its asynchronous nodes have not ended; a step
  // must have the state.
  // Thread safety: any thread.
  bool Rests(int in_flight) const;
  // Appends the asynchronous nodes that were started.
  // Thread safety: any thread.
  void AppendStarted(std::vector<StartedNode>& started) const;

  // The workers and operations in flight of a shared step.
  std::atomic<int>& active() { return active_; }

 private:
  StepState(ExecPlan& plan, std::unique_ptr<StepValues> values, const StepResume& resume);
  Status SetFeeds(const RunArgs& args);
  // `of_device`: the error of enqueued work.
  void End(const Status& of_device);

  // An op whose status is set and whose callback has run.
  void Complete(AsyncOp& op);
  void RecordOp(const AsyncOp& op);

  ExecPlan& plan_;
  const StepResume& resume_;
  std::unique_ptr<StepValues> values_;
  StepWorker first_;
  std::vector<AsyncOp> async_;
  std::unique_ptr<Frames> frames_;
  std::optional<ResourceContainers> containers_;  // the step's own, if RunArgs bring none
  std::optional<Cancellation> cancellation_;      // the step's own, if RunArgs bring none
  StepCanceller canceller_{*this};

  WorkerPool* pool_ = nullptr;
  RunArgs args_;
  Callback done_;
  int in_flight_ = 0;
  bool shared_ = false;
  std::atomic<bool> failed_{false};
  WithheldUpdates withheld_;           // used if RunArgs bring none
  std::atomic<Work*> inbox_{nullptr};  // newest first; or one of the two marks
  Work asleep_;                        // a mark: nobody runs the step
  Work shared_mark_;                   // a mark: the step is shared
  std::atomic<int> active_{0};

  Mutex mu_;
  Status status_ GUARDED_BY(mu_);
  StepWorker* idle_ GUARDED_BY(mu_) = nullptr;
  std::vector<std::unique_ptr<StepWorker>> workers_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_STEP_STATE_H_
