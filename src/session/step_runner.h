// Runs this rank's part of steps, and ends it when the step fails here or elsewhere.
#ifndef DFRUN_SRC_SESSION_STEP_RUNNER_H_
#define DFRUN_SRC_SESSION_STEP_RUNNER_H_

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/base/mutex.h"
#include "src/executor/executor.h"
#include "src/executor/numerics_check.h"
#include "src/framework/communicator.h"
#include "src/session/control_plane.h"

namespace dfrun {

// This rank's part of an executable.
struct RankPart {
  std::vector<std::unique_ptr<ExecPlan>> plans;  // one a device; the one that feeds and fetches first
  std::unique_ptr<StepRendezvous> rendezvous;    // null on one rank with one plan
  Mutex mu;                                      // held by a step that uses the rendezvous
};

struct StepArgs {
  int64_t step_id = 0;
  std::span<const Tensor> feeds = {};
  std::span<Tensor> fetches = {};
  StepTrace* trace = nullptr;
  NumericsCheck* numerics = nullptr;
};

// Thread safety: all methods from any thread. Steps of a part with a rendezvous run one after the other.
class StepRunner {
 public:
  // `control` is null where there is one rank. Both outlive the runner. `rank_text` is what errors call this rank.
  StepRunner(WorkerPool& pool, ControlPlane* control, std::string rank_text);

  // Blocks until this rank's part has ended. With several ranks, an error here ends the step everywhere, and an error
  // elsewhere ends it here; either makes every later Run() return that error at once.
  Status Run(RankPart& part, const StepArgs& args);

  // Steps so far whose updates were withheld on this rank (src/graph/update_gate.h): those in which a value that their
  // gates check was not finite.
  int64_t steps_not_finite() const { return steps_not_finite_.load(std::memory_order_relaxed); }
  // What a check found on this rank, as kNotFinite; else OK.
  RankStatus Found(const NumericsCheck& check) const;
  // What errors call this rank.
  const std::string& rank_text() const { return rank_text_; }

  // With several ranks: the first failure that this rank saw, its own or another's.
  Status failure() const EXCLUDES(mu_);
  // That failure if it arose here; else OK.
  RankStatus own_failure() const EXCLUDES(mu_);

 private:
  class FailingRendezvous;

  // What ends a step of this rank from outside.
  struct RunningStep {
    Rendezvous* rendezvous;
    std::shared_ptr<Cancellation> cancellation;  // shared: an error elsewhere may still cancel when the step has ended
    bool operator==(const RunningStep& other) const { return cancellation == other.cancellation; }
  };

  Status RunExchanging(RankPart& part, const StepArgs& args, std::atomic<bool>& withheld);
  Status RunPlans(RankPart& part, const RunArgs& args);
  Status RunOne(ExecPlan& plan, RunArgs args);
  // False where the session has failed.
  bool Enter(const RunningStep& step) EXCLUDES(mu_);
  void Leave(const RunningStep& step) EXCLUDES(mu_);
  void FailHere(const Status& status) EXCLUDES(mu_);
  void FailElsewhere(const Status& status) EXCLUDES(mu_);

  WorkerPool& pool_;
  ControlPlane* const control_;
  const std::string rank_text_;
  std::atomic<int64_t> steps_not_finite_{0};
  mutable Mutex mu_;
  RankStatus failure_ GUARDED_BY(mu_);
  bool failed_here_ GUARDED_BY(mu_) = false;
  std::vector<RunningStep> running_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_STEP_RUNNER_H_
