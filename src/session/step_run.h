// A request to run steps, on one rank: its steps one after the other, and how a failure of one ends it.
#ifndef DFRUN_SRC_SESSION_STEP_RUN_H_
#define DFRUN_SRC_SESSION_STEP_RUN_H_

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/base/mutex.h"
#include "src/executor/executor.h"
#include "src/executor/step/numerics_check.h"
#include "src/executor/step/worker_pool.h"
#include "src/session/control/control_plane.h"
#include "src/session/local_executable.h"
#include "src/session/session_options.h"

namespace dfrun {

class StepRun;

// Services that a run needs of its runner.
// Thread safety: all methods from any thread.
class StepRunHost {
 public:
  virtual WorkerPool& pool() = 0;
  // Returns null where there is one rank.
  virtual ControlPlane* control() = 0;
  // The name of this rank in errors.
  virtual const std::string& rank_text() const = 0;
  // Counts a step that begins on this rank.
  virtual void CountStep() = 0;
  // Counts a step whose updates were withheld on this rank; `found` is its gate's finding.
  virtual void CountNotFinite(int32_t found) = 0;
  // Fails the session because of a failure here.
  virtual void FailSessionHere(const Status& status) = 0;
  // Takes a run that has ended out of its part's line; returns the run that is to begin then, if there is one.
  virtual std::shared_ptr<StepRun> TakeOut(const std::shared_ptr<StepRun>& run) = 0;

 protected:
  ~StepRunHost() = default;
};

struct StepRequest {
  int64_t round = 0;  // set if there are several ranks
  int64_t first_step = 0;
  int64_t number = 0;  // StepContext::number of the first step; those after it count on
  int64_t steps = 1;
  int32_t slot = 0;
  ErrorScope scope = ErrorScope::kSession;  // kStep: of one step
  NotFiniteRow not_finite = {};             // before the first step; none is run after it is full
  // The arguments, and everything that they point to, must live until the end.
  std::span<const Tensor> feeds = {};
  std::span<Tensor> fetches = {};
  bool tell_memory = false;  // ranks report the contents of their devices' memory at the end
  TraceSink* trace = nullptr;
  NumericsCheck* numerics = nullptr;
};

// A run of steps of one part, made and begun by StepRunner. No thread waits in it: the thread that ends a step begins
// the next, or has it queued where something else wants the thread.
//
// A step ends when its plans have ended and, where it failed alone, no more messages of it come to this rank: left_
// counts these.
// Thread safety: all methods from any thread, unless a method says otherwise.
class StepRun final : public Work, private Rendezvous, public std::enable_shared_from_this<StepRun> {
 public:
  // `done` runs once, when this rank's part of all steps has ended, with its status.
  StepRun(StepRunHost& host, LocalExecutable& part, const StepRequest& request, Callback done);
  ~StepRun() override = default;

  // Begins the run, or goes on with it; for others once, when it is first in its part's line.
  void Begin();
  // Notes that the step, of scope kStep, or the session has failed elsewhere. They may be called at any time, also
  // before the run begins and after it has ended; the first failure counts.
  void FailElsewhere(const Status& status) EXCLUDES(mu_);
  void FailWithSession(const Status& status) EXCLUDES(mu_);

  LocalExecutable& part() const { return part_; }
  const StepRequest& request() const { return request_; }
  // Results, when the run has ended: the failure that arose here, if its scope is kStep; the steps that ran; the last
  // steps, behind each other, whose updates were withheld.
  RankStatus own_failure() const EXCLUDES(mu_);
  int64_t steps_run() const { return steps_run_; }
  const NotFiniteRow& not_finite() const { return not_finite_; }

 private:
  enum class State { kWaits, kInStep, kBetweenSteps, kEnded };
  struct PlanRun {
    StepRun* run = nullptr;
    std::optional<ResourceContainers> containers;
    Status status;
  };

  // The rendezvous of the plans: an error of one of them fails the step on every rank.
  void Send(const ChannelKey& key, const Tensor& value, bool is_dead, Callback done) override {
    rendezvous_->Send(key, value, is_dead, done);
  }
  void Recv(const ChannelKey& key, Allocator& allocator, Tensor* value, bool* is_dead, Callback done) override {
    rendezvous_->Recv(key, allocator, value, is_dead, done);
  }
  void Abort(const Status& status) override;

  // True: its plans are to be started.
  bool BeginStep() EXCLUDES(mu_);
  // Runs a step, from its start on, until it is left to other threads, or the last step has ended.
  void RunSteps();
  void Start(size_t plan);
  // Counts the end of a plan, or of the start itself (see left_). True: it was the last of the step.
  bool EndOne() EXCLUDES(mu_);
  void OneEnded();
  // Called after a step. True: the next one's plans are to be started.
  bool NextStep();
  // The status of the step that has ended.
  Status TakeStatus() REQUIRES(mu_);
  void End(Status status);

  // Notes an error here. False: the step had ended but for this, and now waits for its messages.
  bool FailHere(const Status& status);
  // Records a failure; false where there was one before. `was`: the state in which it came.
  bool Record(const RankStatus& failure, bool here, ErrorScope scope, State* was) EXCLUDES(mu_);
  // Ends a step that fails alone.
  void EndStep(const Status& status, State was);
  Callback QuietInStep();

  StepRunHost& host_;
  LocalExecutable& part_;
  const StepRequest request_;
  const Callback done_;
  StepRendezvous* rendezvous_ = nullptr;  // null where nothing is exchanged
  // Owned by the thread that runs the step; between steps by exactly one thread.
  std::vector<PlanRun> plans_;
  int64_t steps_run_ = 0;
  NotFiniteRow not_finite_;
  WithheldUpdates withheld_;

  mutable Mutex mu_;
  State state_ GUARDED_BY(mu_) = State::kWaits;
  int left_ GUARDED_BY(mu_) = 0;
  RankStatus failure_ GUARDED_BY(mu_);
  bool failed_here_ GUARDED_BY(mu_) = false;
  bool fails_alone_ GUARDED_BY(mu_) = false;
  // The step's cancellation. It is made anew only while there is no failure; a thread records a failure before it
  // cancels.
  std::optional<Cancellation> cancellation_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_STEP_RUN_H_
