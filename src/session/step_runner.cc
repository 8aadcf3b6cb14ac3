#include "src/session/step_runner.h"

#include <algorithm>
#include <utility>

#include "src/session/control/control_error.h"

namespace dfrun {
namespace {

// The end of a run, for which Run() waits.
struct RunEnd {
  WorkerPool& pool;
  Status status = {};
  std::atomic<bool> done{false};

  static void Done(void* arg, Status status) {
    auto* self = static_cast<RunEnd*>(arg);
    WorkerPool& pool = self->pool;  // Run() may return as soon as it sees done
    self->status = std::move(status);
    self->done.store(true, std::memory_order_release);
    pool.Notify();
  }
};

}  // namespace

StepRunner::StepRunner(WorkerPool& pool, ControlPlane* control, std::string rank_text)
    : pool_(pool), control_(control), rank_text_(std::move(rank_text)) {
  if (control_ == nullptr) return;
  control_->OnAbort([this](int64_t round, const Status& status) {
    round == 0 ? FailSession({status, 0}, /*here=*/false) : AbortRound(round, status);
  });
}

bool StepRunner::Queue(const std::shared_ptr<StepRun>& run) {
  const StepRequest& request = run->request();
  LocalExecutable& part = run->part();
  Status session_failure;
  Status early_failure;
  {
    MutexLock lock(mu_);
    runs_.push_back(run);
    open_.fetch_add(1, std::memory_order_relaxed);
    session_failure = failure_.status;
    if (request.scope == ErrorScope::kStep && control_ != nullptr) {
      alone_.erase(std::exchange(part.slot(request.slot).round, request.round));
      alone_.emplace(request.round, run);
      if (const auto early = early_failures_.extract(request.round)) early_failure = early.mapped();
    }
  }
  if (!session_failure.ok()) {
    run->FailWithSession(session_failure);
  } else if (!early_failure.ok()) {
    run->FailElsewhere(early_failure);
  }
  if (part.overlaps) return true;
  MutexLock lock(part.mu);
  part.line.push_back(run);
  return part.line.size() == 1;
}

std::shared_ptr<StepRun> StepRunner::TakeOut(const std::shared_ptr<StepRun>& run) {
  {
    MutexLock lock(mu_);
    runs_.erase(std::find(runs_.begin(), runs_.end(), run));
    open_.fetch_sub(1, std::memory_order_relaxed);
  }
  LocalExecutable& part = run->part();
  if (part.overlaps) return nullptr;
  MutexLock lock(part.mu);
  part.line.pop_front();
  return part.line.empty() ? nullptr : part.line.front();
}

void StepRunner::WaitUntilQuiet(LocalExecutable& part) {
  if (part.ending.load() == 0) return;
  pool_.HelpUntil([&] { return part.ending.load() == 0; });
}

void StepRunner::Retire(LocalExecutable& part) {
  WaitUntilQuiet(part);
  MutexLock lock(mu_);
  std::erase_if(alone_, [&](const auto& entry) { return &entry.second->part() == &part; });
}

Status StepRunner::Run(LocalExecutable& part, const StepRequest& request) {
  if (part.communicator == nullptr) return part.plans.empty() ? Status() : RunAlone(part, request);
  RunEnd end{pool_};
  const auto run = std::make_shared<StepRun>(*this, part, request, Callback{&RunEnd::Done, &end});
  if (Queue(run)) run->Begin();
  pool_.HelpUntil([&] { return end.done.load(std::memory_order_acquire); });
  return std::move(end.status);
}

Status StepRunner::RunAlone(LocalExecutable& part, const StepRequest& request) {
  ResourceContainers containers;
  WithheldUpdates withheld;
  RunArgs args;
  args.feeds = request.feeds;
  args.fetches = request.fetches;
  args.step.step_id = request.first_step;
  args.step.number = request.number;
  args.step.step_containers = &containers;
  args.trace = request.trace;
  args.numerics = request.numerics;
  args.withheld = &withheld;
  CountStep();
  open_.fetch_add(1, std::memory_order_relaxed);
  Status status = RunPlan(*part.plans[0], pool_, args);
  open_.fetch_sub(1, std::memory_order_relaxed);
  if (const int32_t found = withheld.Take(); found != 0) CountNotFinite(found);
  return status;
}

void StepRunner::CountNotFinite(int32_t found) {
  int32_t none = 0;
  first_not_finite_.compare_exchange_strong(none, found, std::memory_order_relaxed);
  steps_not_finite_.fetch_add(1, std::memory_order_relaxed);
}

RankStatus StepRunner::Found(const NumericsCheck& check, const LocalExecutable& part) {
  const NumericsCheck::Finding finding = check.finding();
  if (finding.message.empty()) return {};
  if (check.keeps_values()) {
    KeptFinding kept = KeepFinding(finding, part);
    MutexLock lock(mu_);
    found_ = std::move(kept);
  }
  return {Error(Code::kNotFinite, finding.message, ", on ", rank_text_), finding.time_ns};
}

Status StepRunner::WriteFound(const CaptureRequest& request, int rank) const {
  KeptFinding found;
  {
    MutexLock lock(mu_);
    found = found_;
  }
  return WriteCapture(found, request, rank);
}

void StepRunner::AbortRound(int64_t round, const Status& status) {
  std::shared_ptr<StepRun> run;
  {
    MutexLock lock(mu_);
    if (!failure_.status.ok()) return;
    const auto found = alone_.find(round);
    if (found == alone_.end()) {
      early_failures_.emplace(round, status);
      return;
    }
    run = found->second;
  }
  run->FailElsewhere(status);
}

void StepRunner::FailSessionHere(const Status& status) {
  FailSession(StatusNow(status.Annotate(rank_text_)), /*here=*/true);
}

void StepRunner::FailSession(const RankStatus& failure, bool here) {
  std::vector<std::shared_ptr<StepRun>> runs;
  {
    MutexLock lock(mu_);
    if (!failure_.status.ok()) return;
    failure_ = failure;
    failed_here_ = here;
    runs = runs_;
  }
  if (here) control_->Abort(0, failure);
  for (const std::shared_ptr<StepRun>& run : runs) run->FailWithSession(failure.status);
}

Status StepRunner::failure() const {
  MutexLock lock(mu_);
  return failure_.status;
}

RankStatus StepRunner::OwnFailure(const StepRun& run) const {
  RankStatus of_run = run.own_failure();
  if (!of_run.status.ok()) return of_run;
  MutexLock lock(mu_);
  return failed_here_ ? failure_ : RankStatus();
}

}  // namespace dfrun
