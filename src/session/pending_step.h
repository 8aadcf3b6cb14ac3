// A step in flight, as its caller sees it.
#ifndef DFRUN_SRC_SESSION_PENDING_STEP_H_
#define DFRUN_SRC_SESSION_PENDING_STEP_H_

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "src/session/step_run.h"

namespace dfrun {

class PendingStep;
struct Executable;

// Services that a step in flight needs of the master that made it.
class PendingStepHost {
 public:
  // Waits for the end of the steps on all ranks; once.
  // Blocks: until then.
  virtual Status Finish(PendingStep& step) = 0;
  // OwnPartEnded(): this rank's part has ended. AllEnded(): all ranks' parts have. Called from any thread.
  virtual void OwnPartEnded(PendingStep& step) = 0;
  virtual void AllEnded(PendingStep& step) = 0;

 protected:
  ~PendingStepHost() = default;
};

// A step in flight, made by Session::StartStep(). It must be destroyed before its session.
// Thread safety: one thread at a time.
class PendingStep {
 public:
  // Waits for the end of the step, whatever its status.
  ~PendingStep();
  PendingStep(const PendingStep&) = delete;
  PendingStep& operator=(const PendingStep&) = delete;

  // Returns true once Wait() returns at once. With one thread a rank, only threads in a method of the session or in
  // Wait() move steps on.
  bool ended() const { return ended_.load(std::memory_order_acquire); }
  // Waits for the end of the step on every rank and returns its status, as Session::RunStep() does. `fetches` is in the
  // signature's order, and set where the status is OK. Call it once.
  // Blocks: until the step has ended.
  Status Wait(std::span<Tensor> fetches);

 private:
  friend class Master;
  // Everything that the request's spans point to must live until the end.
  PendingStep(PendingStepHost& host, Executable& executable, const StepRequest& request)
      : host_(host), executable_(executable), request_(request) {}

  static void OwnPartEnded(void* self, Status status);
  static void AllEnded(void* self, Status first);

  PendingStepHost& host_;
  Executable& executable_;
  StepRequest request_;
  std::optional<NumericsCheck> numerics_;  // where the session checks each step
  std::vector<Tensor> feeds_;              // the tensors behind the request's `feeds`
  std::vector<Tensor> fetched_;            // the tensors behind the request's `fetches`
  std::shared_ptr<StepRun> run_;           // null: it was not begun
  bool waited_ = false;
  Status own_;    // this rank's part
  Status first_;  // the first error in time that a rank tells
  std::atomic<bool> own_ended_{false};
  std::atomic<bool> ended_{false};
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_PENDING_STEP_H_
