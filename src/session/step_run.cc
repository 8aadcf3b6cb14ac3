#include "src/session/step_run.h"

#include <utility>

#include "src/session/control/control_error.h"

namespace dfrun {
namespace {

constexpr int64_t kStepsPerPoll = 16;

}  // namespace

StepRun::StepRun(StepRunHost& host, LocalExecutable& part, const StepRequest& request, Callback done)
    : Work{[](Work* self) { static_cast<StepRun*>(self)->Begin(); }},
      host_(host),
      part_(part),
      request_(request),
      done_(done),
      rendezvous_(part.communicator == nullptr ? nullptr : part.slot(request.slot).rendezvous.get()),
      plans_(part.plans.size()),
      not_finite_(request.not_finite) {
  for (PlanRun& plan : plans_) plan.run = this;
}

void StepRun::Begin() {
  const std::shared_ptr<StepRun> self = shared_from_this();
  if (BeginStep()) RunSteps();
}

bool StepRun::BeginStep() {
  if (rendezvous_ != nullptr) rendezvous_->StartStep(request_.scope);
  Status failed;
  bool fails_alone = false;
  {
    MutexLock lock(mu_);
    failed = failure_.status;
    fails_alone = fails_alone_;
    if (failed.ok()) cancellation_.emplace();
    left_ = failed.ok() ? static_cast<int>(plans_.size()) + 1 : 1;
    state_ = failed.ok() || fails_alone ? State::kInStep : State::kBetweenSteps;
  }
  if (failed.ok()) {
    ++steps_run_;
    host_.CountStep();
    return true;
  }
  // The step failed before it began here; its messages are waited for all the same.
  fails_alone ? rendezvous_->EndStep(failed, QuietInStep()) : End(failed);
  return false;
}

void StepRun::RunSteps() {
  do {
    for (size_t i = 1; i < plans_.size(); ++i) Start(i);
    if (!plans_.empty()) Start(0);
  } while (EndOne() && NextStep());
}

void StepRun::Start(size_t index) {
  PlanRun& plan = plans_[index];
  RunArgs args;
  if (index == 0) {
    args.feeds = request_.feeds;
    args.fetches = request_.fetches;
  }
  args.trace = request_.trace;
  args.slot = request_.slot;
  args.numerics = request_.numerics;
  args.withheld = &withheld_;
  args.step.step_id = request_.first_step + steps_run_ - 1;
  args.step.number = request_.number + steps_run_ - 1;
  args.step.step_containers = &plan.containers.emplace();
  if (rendezvous_ != nullptr) {
    args.step.rendezvous = this;
    args.step.cancellation = &*cancellation_;
  }
  StartPlan(*part_.plans[index], host_.pool(), args,
            {[](void* arg, Status status) {
               auto* ended = static_cast<PlanRun*>(arg);
               ended->status = std::move(status);
               ended->run->OneEnded();
             },
             &plan});
}

void StepRun::OneEnded() {
  const std::shared_ptr<StepRun> self = shared_from_this();
  if (EndOne() && NextStep()) RunSteps();
}

bool StepRun::EndOne() {
  MutexLock lock(mu_);
  if (--left_ > 0) return false;
  state_ = State::kBetweenSteps;
  return true;
}

bool StepRun::NextStep() {
  Status status;
  {
    MutexLock lock(mu_);
    if (state_ != State::kBetweenSteps) return false;
    status = TakeStatus();
  }
  // An error may have come before the first node.
  if (!status.ok() && !FailHere(status)) return false;
  // Steps of cheap nodes alone do not poll, and others may be there only by a message.
  if (steps_run_ % kStepsPerPoll == 0) host_.pool().Poll();
  // Requests of other executables, and those who wait for the ends of theirs, come before the next step.
  const bool gives_way = host_.pool().IsWanted();
  bool goes_on = false;
  {
    MutexLock lock(mu_);
    if (state_ != State::kBetweenSteps)
      return false;  // a step that failed meanwhile comes here again when its messages end
    if (!failure_.status.ok()) status = failure_.status;
    goes_on = status.ok() && steps_run_ < request_.steps && !not_finite_.is_full();
    if (!goes_on) state_ = State::kEnded;
    if (goes_on && gives_way) state_ = State::kWaits;
  }
  if (goes_on && !gives_way) return BeginStep();
  if (goes_on) {
    host_.pool().Submit(this);
    return false;
  }
  End(std::move(status));
  return false;
}

Status StepRun::TakeStatus() {
  const int32_t found = withheld_.Take();
  not_finite_.Add(found == 0);
  if (found != 0) host_.CountNotFinite(found);
  Status first;
  for (PlanRun& plan : plans_) {
    Status status = std::exchange(plan.status, Status());
    if (first.ok()) first = std::move(status);
  }
  return first;
}

// Ends the run. The owner may destroy the part as soon as `done` has run, unless another run of it follows.
void StepRun::End(Status status) {
  {
    MutexLock lock(mu_);
    state_ = State::kEnded;
  }
  for (PlanRun& plan : plans_) plan.containers.reset();
  const std::shared_ptr<StepRun> next = host_.TakeOut(shared_from_this());
  WorkerPool& pool = host_.pool();
  done_(std::move(status));
  // Another thread takes it, since this one may be the one that polls.
  if (next != nullptr) pool.Submit(next.get());
}

void StepRun::Abort(const Status& status) {
  if (host_.control() == nullptr) return rendezvous_->Abort(status);
  FailHere(status);
}

bool StepRun::FailHere(const Status& status) {
  if (host_.control() == nullptr) return true;
  if (request_.scope == ErrorScope::kSession) {
    host_.FailSessionHere(status);
    return true;
  }
  const RankStatus failure = StatusNow(status.Annotate(host_.rank_text()));
  State was{};
  if (!Record(failure, /*here=*/true, ErrorScope::kStep, &was)) return true;
  host_.control()->Abort(request_.round, failure);
  EndStep(failure.status, was);
  return was != State::kBetweenSteps;
}

void StepRun::FailElsewhere(const Status& status) {
  State was{};
  if (Record({status, 0}, /*here=*/false, ErrorScope::kStep, &was)) EndStep(status, was);
}

void StepRun::FailWithSession(const Status& status) {
  State was{};
  if (!Record({status, 0}, /*here=*/false, ErrorScope::kSession, &was) || was != State::kInStep) return;
  if (rendezvous_ == nullptr) return;
  cancellation_->Cancel(status);
  rendezvous_->Abort(status);
}

bool StepRun::Record(const RankStatus& failure, bool here, ErrorScope scope, State* was) {
  MutexLock lock(mu_);
  if (!failure_.status.ok()) return false;
  failure_ = failure;
  failed_here_ = here;
  fails_alone_ = scope == ErrorScope::kStep;
  *was = state_;
  if (!fails_alone_) return true;
  // The end of the step waits for its messages too.
  if (state_ == State::kInStep) ++left_;
  if (state_ == State::kBetweenSteps) {
    state_ = State::kInStep;
    left_ = 1;
  }
  if (state_ == State::kEnded) part_.ending.fetch_add(1);
  return true;
}

void StepRun::EndStep(const Status& status, State was) {
  if (was == State::kWaits) return;  // BeginStep() will find the failure
  if (was != State::kEnded) {
    cancellation_->Cancel(status);
    return rendezvous_->EndStep(status, QuietInStep());
  }
  rendezvous_->EndStep(status, {[](void* arg, Status) {
                                  auto* run = static_cast<StepRun*>(arg);
                                  WorkerPool& pool = run->host_.pool();
                                  run->part_.ending.fetch_sub(1);  // part and run may be gone from here on
                                  pool.Notify();
                                },
                                this});
}

Callback StepRun::QuietInStep() {
  return {[](void* arg, Status) { static_cast<StepRun*>(arg)->OneEnded(); }, this};
}

RankStatus StepRun::own_failure() const {
  MutexLock lock(mu_);
  return failed_here_ ? failure_ : RankStatus();
}

}  // namespace dfrun
