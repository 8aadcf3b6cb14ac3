#include "src/executor/step/step_state.h"

#include <thread>

#include "src/executor/step/frames.h"
#include "src/executor/step/node_actions.h"
#include "src/executor/step/numerics_check.h"

namespace dfrun {
namespace {

// Turns a list around and returns its new first.
Work* Reversed(Work* list) {
  Work* reversed = nullptr;
  while (list != nullptr) {
    Work* const next = list->next;
    list->next = reversed;
    reversed = list;
    list = next;
  }
  return reversed;
}

Status CheckFeed(const ExecPlan::Feed& feed, const Tensor& value) {
  if (!value.initialized()) return InvalidArgument("the feed of '", feed.name, "' has no value");
  if (value.dtype() != feed.dtype) {
    return InvalidArgument("the feed of '", feed.name, "' is ", value.dtype(), ", but the graph wants ", feed.dtype);
  }
  if (!feed.shape.IsCompatibleWith(value.shape())) {
    return InvalidArgument("the feed of '", feed.name, "' has shape ", value.shape(), ", but this plan was made for ",
                           feed.shape);
  }
  return Status();
}

}  // namespace

void StepState::OpDone(void* arg, Status status) {
  AsyncOp& op = *static_cast<AsyncOp*>(arg);
  StepState& step = *op.step;
  op.status = std::move(status);
  op.MarkEnded();
  if (step.args().trace != nullptr) step.RecordOp(op);
  // The device's own memory cannot be looked at from here, since the caller may be the device itself. The nodes that
  // move values between memories do not make finite ones infinite.
  if (NumericsCheck* numerics = step.args().numerics;
      numerics != nullptr && op.status.ok() && !step.plan().device().has_own_memory()) {
    numerics->After(step.plan(), op.node, op.slots, numerics->Before(step.plan(), op.node, op.slots));
  }
  step.Complete(op);
}

void StepState::RecordOp(const AsyncOp& op) {
  TraceNode(args_, plan_, op.node, op.slots,
            {.is_async = true, .start_ns = op.start_ns, .iteration = op.context.iteration()});
}

Status StepCanceller::Watch(Cancellation& cancellation) {
  cancelled_.store(false, std::memory_order_relaxed);
  DF_TRY(cancellation.Add(*this));
  watched_ = &cancellation;
  return Status();
}

void StepCanceller::Stop() {
  if (watched_ == nullptr) return;
  if (!watched_->Remove(*this)) {
    while (!cancelled_.load(std::memory_order_acquire)) std::this_thread::yield();
  }
  watched_ = nullptr;
}

void StepCanceller::Cancel(const Status& status) {
  step_.Fail(status);
  cancelled_.store(true, std::memory_order_release);
}

StepState::StepState(ExecPlan& plan, std::unique_ptr<StepValues> values, const StepResume& resume)
    : plan_(plan),
      resume_(resume),
      values_(std::move(values)),
      first_(this, plan.num_nodes(), resume),
      async_(plan.root().layout.num_async) {
  for (AsyncOp& op : async_) op.Bind(this, resume);
  if (plan.has_control_flow()) frames_ = std::make_unique<Frames>(plan, *values_, async_, this, resume);
}

StepState::~StepState() = default;

Result<StepState*> StepState::Acquire(ExecPlan& plan, const StepResume& resume) {
  if (PlanState* const idle = plan.states().TakeIdle(); idle != nullptr) return static_cast<StepState*>(idle);
  DF_ASSIGN(std::unique_ptr<StepValues> values, StepValues::Create(plan, plan.root()));
  std::unique_ptr<StepState> made(new StepState(plan, std::move(values), resume));
  StepState* const state = made.get();
  plan.states().Own(std::move(made));
  return state;
}

Status StepState::Begin(WorkerPool& pool, const RunArgs& args, Callback done) {
  if (args.fetches.size() < static_cast<size_t>(plan_.num_fetches())) {
    return InvalidArgument("the plan has ", plan_.num_fetches(), " fetches, but there is room for ",
                           args.fetches.size());
  }
  DF_TRY(SetFeeds(args));
  values_->Reset();
  pool_ = &pool;
  args_ = args;
  if (args.trace != nullptr) args.trace->AddPlan(plan_.id(), [&] { return plan_.Names(); });
  if (args_.step.step_containers == nullptr) args_.step.step_containers = &containers_.emplace();
  if (args_.step.cancellation == nullptr) args_.step.cancellation = &cancellation_.emplace();
  withheld_.Take();
  if (args_.withheld == nullptr) args_.withheld = &withheld_;
  done_ = done;
  in_flight_ = 0;
  shared_ = false;
  failed_.store(false, std::memory_order_relaxed);
  inbox_.store(nullptr, std::memory_order_relaxed);
  first_.queue.Clear();
  first_.frame_queue.Clear();
  const bool may_not_end = plan_.frames().size() > 1 && args.step.cancellation != nullptr;
  return may_not_end ? canceller_.Watch(*args.step.cancellation) : Status();
}

Status StepState::SetFeeds(const RunArgs& args) {
  const auto num_feeds = static_cast<size_t>(plan_.num_feeds());
  if (args.feeds.size() < num_feeds) {
    return InvalidArgument("the plan wants ", num_feeds, " feeds, but ", args.feeds.size(), " are given");
  }
  for (size_t i = 0; i < num_feeds; ++i) {
    const ExecPlan::Feed& feed = plan_.feed(static_cast<int>(i));
    if (!feed.name.empty()) DF_TRY(CheckFeed(feed, args.feeds[i]));
  }
  for (size_t i = 0; i < num_feeds; ++i) {
    const ExecPlan::Feed& feed = plan_.feed(static_cast<int>(i));
    if (feed.slot >= 0) values_->slots()[feed.slot] = args.feeds[i];
  }
  return Status();
}

void StepState::Finish() {
  if (!plan_.device().has_own_memory()) return End(Status());
  plan_.device().WhenDone({[](void* arg, Status status) { static_cast<StepState*>(arg)->End(status); }, this});
}

void StepState::End(const Status& of_device) {
  canceller_.Stop();
  if (!of_device.ok()) Fail(of_device);
  if (frames_ != nullptr && !failed()) {
    if (const std::string loop = frames_->Unfinished(); !loop.empty()) {
      Fail(InvalidArgument("the loop '", loop, "' on ", plan_.device().full_name(),
                           " did not end: some of its values never came"));
    }
  }
  Status status;
  if (frames_ != nullptr) frames_->Reset();
  if (failed() || frames_ != nullptr) values_->Release();
  if (failed()) {
    MutexLock lock(mu_);
    status = std::move(status_);
    status_ = Status();
  }
  containers_.reset();
  cancellation_.reset();
  const Callback done = done_;
  plan_.states().Return(this);
  done(std::move(status));
}

Status StepState::AtTurn(uint64_t iteration, const Status& status) {
  if (frames_ == nullptr || status.code() != Code::kResourceExhausted) return status;
  const std::string turn = frames_->TurnOf(iteration);
  return turn.empty() ? status : status.Annotate(turn);
}

void StepState::Fail(const Status& status) {
  {
    MutexLock lock(mu_);
    if (!status_.ok()) return;
    status_ = status;
    failed_.store(true, std::memory_order_relaxed);
  }
  args_.step.cancellation->Cancel(status);
  if (args_.step.rendezvous != nullptr) args_.step.rendezvous->Abort(status);
}

bool StepState::Rests(int in_flight) const {
  const Work* const inbox = inbox_.load(std::memory_order_acquire);
  if (inbox == &shared_mark_) return active_.load(std::memory_order_acquire) == in_flight;
  return inbox == &asleep_;
}

void StepState::AppendStarted(std::vector<StartedNode>& started) const {
  const auto append = [&](const FramePlan& frame, const AsyncOp* ops, bool in_loop) {
    if (frame.layout.num_async == 0) return;
    for (uint32_t node = frame.first_node; node < frame.first_node + frame.num_nodes; ++node) {
      if ((plan_.records()[node].flags & kNodeAsync) == 0) continue;
      const uint64_t mark = ops[plan_.detail(node).index].mark.load(std::memory_order_relaxed);
      if ((mark & AsyncOp::kStarted) == 0) continue;
      started.push_back({node, static_cast<int64_t>(mark >> 2), (mark & AsyncOp::kEnded) != 0, in_loop});
    }
  };
  append(plan_.root(), async_.data(), false);
  if (frames_ == nullptr) return;
  for (const Iteration* it = frames_->made(); it != nullptr; it = it->made_before) append(*it->plan, it->ops, true);
}

StepWorker& StepState::AcquireWorker() {
  MutexLock lock(mu_);
  if (idle_ == nullptr) {
    workers_.push_back(std::make_unique<StepWorker>(this, plan_.num_nodes(), resume_));
    return *workers_.back();
  }
  StepWorker& worker = *idle_;
  idle_ = worker.next_idle;
  worker.queue.Clear();
  worker.frame_queue.Clear();
  return worker;
}

void StepState::ReleaseWorker(StepWorker& worker) {
  if (&worker == &first_) return;
  MutexLock lock(mu_);
  worker.next_idle = idle_;
  idle_ = &worker;
}

Work* StepState::TakeInbox() {
  return Reversed(inbox_.exchange(nullptr, std::memory_order_acquire));
}

bool StepState::Sleep() {
  Work* empty = nullptr;
  return inbox_.compare_exchange_strong(empty, &asleep_, std::memory_order_acq_rel);
}

Work* StepState::Share() {
  shared_ = true;
  active_.store(1 + in_flight_, std::memory_order_relaxed);
  return Reversed(inbox_.exchange(&shared_mark_, std::memory_order_acq_rel));
}

void StepState::Complete(AsyncOp& op) {
  WorkerPool& pool = *pool_;  // once the op is handed on, the step may end
  Work* seen = inbox_.load(std::memory_order_acquire);
  for (;;) {
    if (seen == &shared_mark_) break;
    op.next = seen == &asleep_ ? nullptr : seen;
    Work* const next = seen == &asleep_ ? nullptr : &op;
    if (inbox_.compare_exchange_weak(seen, next, std::memory_order_acq_rel)) {
      if (seen == &asleep_) break;
      return;
    }
  }
  pool.Submit(&op);
}

}  // namespace dfrun
