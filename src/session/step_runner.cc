#include "src/session/step_runner.h"

#include <atomic>
#include <utility>

#include "src/session/control_error.h"

namespace dfrun {

// What the plans of a step see: an error of one of them ends the step on every rank.
class StepRunner::FailingRendezvous final : public Rendezvous {
 public:
  FailingRendezvous(StepRunner& runner, Rendezvous& inner) : runner_(runner), inner_(inner) {}
  void Send(const ChannelKey& key, const Tensor& value, bool is_dead, Callback done) override {
    inner_.Send(key, value, is_dead, done);
  }
  void Recv(const ChannelKey& key, Allocator& allocator, Tensor* value, bool* is_dead, Callback done) override {
    inner_.Recv(key, allocator, value, is_dead, done);
  }
  void Abort(const Status& status) override {
    runner_.FailHere(status);
    inner_.Abort(status);
  }

 private:
  StepRunner& runner_;
  Rendezvous& inner_;
};

namespace {

RunArgs ArgsOf(const StepArgs& args, std::atomic<bool>& withheld) {
  RunArgs run;
  run.feeds = args.feeds;
  run.fetches = args.fetches;
  run.step.step_id = args.step_id;
  run.trace = args.trace;
  run.numerics = args.numerics;
  run.withheld = &withheld;
  return run;
}

}  // namespace

StepRunner::StepRunner(WorkerPool& pool, ControlPlane* control, std::string rank_text)
    : pool_(pool), control_(control), rank_text_(std::move(rank_text)) {
  if (control_ != nullptr) control_->OnAbort([this](const Status& status) { FailElsewhere(status); });
}

Status StepRunner::Run(RankPart& part, const StepArgs& args) {
  std::atomic<bool> withheld{false};
  Status status;
  if (part.rendezvous != nullptr) {
    MutexLock lock(part.mu);
    status = RunExchanging(part, args, withheld);
  } else if (!part.plans.empty()) {
    status = RunOne(*part.plans[0], ArgsOf(args, withheld));
  }
  if (withheld.load(std::memory_order_relaxed)) steps_not_finite_.fetch_add(1, std::memory_order_relaxed);
  return status;
}

Status StepRunner::RunExchanging(RankPart& part, const StepArgs& args, std::atomic<bool>& withheld) {
  part.rendezvous->StartStep(args.step_id);
  const RunningStep step{part.rendezvous.get(), std::make_shared<Cancellation>()};
  if (!Enter(step)) return failure();
  FailingRendezvous rendezvous(*this, *part.rendezvous);
  RunArgs run = ArgsOf(args, withheld);
  run.step.rendezvous = &rendezvous;
  run.step.cancellation = step.cancellation.get();
  Status status = RunPlans(part, run);
  Leave(step);
  if (status.ok() || control_ == nullptr) return status;
  FailHere(status);  // for an error that came before the first node
  return failure();
}

Status StepRunner::RunPlans(RankPart& part, const RunArgs& args) {
  struct Other {
    StepRunner* runner;
    std::atomic<int>* left;
    ResourceContainers containers;
    Status status;
    static void Ended(void* arg, Status status) {
      auto* other = static_cast<Other*>(arg);
      other->status = std::move(status);
      WorkerPool& pool = other->runner->pool_;
      other->left->fetch_sub(1);  // the step may return from here on
      pool.Notify();
    }
  };
  if (part.plans.empty()) return Status();
  std::atomic<int> left = static_cast<int>(part.plans.size()) - 1;
  std::vector<Other> others(part.plans.size() - 1);
  for (size_t i = 0; i < others.size(); ++i) {
    others[i].runner = this;
    others[i].left = &left;
    RunArgs run = args;
    run.feeds = {};
    run.fetches = {};
    run.step.step_containers = &others[i].containers;
    StartPlan(*part.plans[i + 1], pool_, run, {&Other::Ended, &others[i]});
  }
  Status status = RunOne(*part.plans[0], args);
  pool_.HelpUntil([&] { return left.load() == 0; });
  for (Other& other : others) {
    if (status.ok()) status = std::move(other.status);
  }
  return status;
}

Status StepRunner::RunOne(ExecPlan& plan, RunArgs args) {
  ResourceContainers containers;
  args.step.step_containers = &containers;
  return RunPlan(plan, pool_, args);
}

RankStatus StepRunner::Found(const NumericsCheck& check) const {
  const NumericsCheck::Finding finding = check.finding();
  if (finding.message.empty()) return {};
  return {Error(Code::kNotFinite, finding.message, ", on ", rank_text_), finding.time_ns};
}

bool StepRunner::Enter(const RunningStep& step) {
  MutexLock lock(mu_);
  if (!failure_.status.ok()) return false;
  running_.push_back(step);
  return true;
}

void StepRunner::Leave(const RunningStep& step) {
  MutexLock lock(mu_);
  std::erase(running_, step);
}

void StepRunner::FailHere(const Status& status) {
  if (control_ == nullptr) return;
  RankStatus failure = StatusNow(status.Annotate(rank_text_));
  {
    MutexLock lock(mu_);
    if (!failure_.status.ok()) return;
    failure_ = failure;
    failed_here_ = true;
  }
  control_->Abort(failure);
}

void StepRunner::FailElsewhere(const Status& status) {
  std::vector<RunningStep> running;
  {
    MutexLock lock(mu_);
    if (!failure_.status.ok()) return;
    failure_.status = status;
    running = running_;
  }
  for (const RunningStep& step : running) {
    step.cancellation->Cancel(status);
    step.rendezvous->Abort(status);
  }
}

Status StepRunner::failure() const {
  MutexLock lock(mu_);
  return failure_.status;
}

RankStatus StepRunner::own_failure() const {
  MutexLock lock(mu_);
  return failed_here_ ? failure_ : RankStatus();
}

}  // namespace dfrun
