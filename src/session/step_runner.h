// Runs this rank's part of steps, and ends them when they fail here or elsewhere.
#ifndef DFRUN_SRC_SESSION_STEP_RUNNER_H_
#define DFRUN_SRC_SESSION_STEP_RUNNER_H_

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/base/mutex.h"
#include "src/session/control/control_plane.h"
#include "src/session/local_executable.h"
#include "src/session/node_capture.h"
#include "src/session/step_run.h"

namespace dfrun {

// Thread safety: all methods from any thread. Steps of a part run at the same time where it may, else one after the
// other in the order in which they were queued; steps of several parts run at the same time.
class StepRunner final : public StepRunHost {
 public:
  // `control` is null where there is one rank. Both must outlive the runner. `rank_text` is the name of this rank in
  // errors.
  StepRunner(WorkerPool& pool, ControlPlane* control, std::string rank_text);

  // Puts a run into its part's line. True: the caller is to Begin() it; else the one before it does. All ranks queue
  // the runs of a part in the same order. Its slot is free: the last step in it has ended on all ranks.
  [[nodiscard]] bool Queue(const std::shared_ptr<StepRun>& run) EXCLUDES(mu_);
  // Waits for the end of messages to this rank from steps of the part that ended well here and failed elsewhere.
  // Blocks: until then.
  void WaitUntilQuiet(LocalExecutable& part);
  // WaitUntilQuiet(), and forgets the part's runs. Call before the part is destroyed, when no step of it runs.
  void Retire(LocalExecutable& part) EXCLUDES(mu_);
  // Queues a run, begins it and waits for its end. With several ranks, an error here ends the step everywhere, and an
  // error elsewhere ends it here.
  // Blocks: until this rank's part has ended.
  Status Run(LocalExecutable& part, const StepRequest& request);

  // Steps so far whose updates were withheld on this rank (src/graph/update_gate.h): those in which a value that their
  // gates check was not finite.
  int64_t steps_not_finite() const { return steps_not_finite_.load(std::memory_order_relaxed); }
  // The number that the gates of the first of them since the last call have found; 0: there was none.
  int32_t TakeFirstNotFinite() { return first_not_finite_.exchange(0, std::memory_order_relaxed); }
  // The steps begun on this rank, and whether a request for steps has begun and not ended; both tell whether it goes
  // on.
  int64_t steps_begun() const { return steps_begun_.load(std::memory_order_relaxed); }
  bool is_in_step() const { return open_.load(std::memory_order_relaxed) > 0; }
  // The finding of a check of a step of `part` on this rank, as kNotFinite; else OK. It is kept for WriteFound(), with
  // its node where the check keeps values, until the next.
  RankStatus Found(const NumericsCheck& check, const LocalExecutable& part) EXCLUDES(mu_);
  // Writes what was kept, if it is what is asked for (WriteCapture(), node_capture.h).
  Status WriteFound(const CaptureRequest& request, int rank) const EXCLUDES(mu_);

  // The methods of StepRunHost.
  WorkerPool& pool() override { return pool_; }
  ControlPlane* control() override { return control_; }
  const std::string& rank_text() const override { return rank_text_; }
  void CountStep() override { steps_begun_.fetch_add(1, std::memory_order_relaxed); }
  void CountNotFinite(int32_t found) override;
  void FailSessionHere(const Status& status) override EXCLUDES(mu_);
  std::shared_ptr<StepRun> TakeOut(const std::shared_ptr<StepRun>& run) override EXCLUDES(mu_);

  // A failure that ends the session: here, or elsewhere. The first counts.
  void FailSession(const RankStatus& failure, bool here) EXCLUDES(mu_);
  // The failure that ended the session, where there are several ranks: the first that this rank saw, its own or
  // another's. Every later run ends with it at once.
  Status failure() const EXCLUDES(mu_);
  // The failure of a run that has ended, as this rank reports it: one that arose here, in the run or the session; else
  // OK.
  RankStatus OwnFailure(const StepRun& run) const EXCLUDES(mu_);

 private:
  Status RunAlone(LocalExecutable& part, const StepRequest& request);
  void AbortRound(int64_t round, const Status& status) EXCLUDES(mu_);

  WorkerPool& pool_;
  ControlPlane* const control_;
  const std::string rank_text_;
  std::atomic<int64_t> steps_not_finite_{0};
  std::atomic<int32_t> first_not_finite_{0};
  std::atomic<int64_t> steps_begun_{0};
  std::atomic<int> open_{0};
  mutable Mutex mu_;
  RankStatus failure_ GUARDED_BY(mu_);
  bool failed_here_ GUARDED_BY(mu_) = false;
  std::vector<std::shared_ptr<StepRun>> runs_ GUARDED_BY(mu_);  // queued and running
  // Runs of scope kStep, by round, until another run has their slot: a failure elsewhere may become known after they
  // ended.
  std::map<int64_t, std::shared_ptr<StepRun>> alone_ GUARDED_BY(mu_);
  std::map<int64_t, Status> early_failures_ GUARDED_BY(mu_);  // heard of before the run was queued; by round
  KeptFinding found_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_STEP_RUNNER_H_
