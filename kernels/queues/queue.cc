#include "kernels/queues/queue.h"

#include <algorithm>
#include <utility>

#include "kernels/queues/element_batch.h"

namespace dfrun {

class Queue::Enqueuing final : public Call {
 public:
  Enqueuing(OpContext& ctx, Callback done, std::vector<QueueElement> elements)
      : Call(ctx, done), elements_(std::move(elements)) {}

  Progress ServeBy(Queue& queue) override REQUIRES(queue.mu_) {
    if (queue.is_closed_) {
      return Refuse(*this, Error(Code::kCancelled, queue.type_.kind, " '", queue.name_, "' is closed."));
    }
    const bool moved = left() > 1 && !queue.IsFull();
    while (left() > 1 && !queue.IsFull()) PushNext(queue);
    if (left() > 1 || (left() == 1 && queue.IsFull())) return moved ? Progress::kMoved : Progress::kWaits;
    if (!Claim()) return Progress::kGone;
    if (left() == 1) PushNext(queue);
    return Progress::kEnds;
  }

 private:
  size_t left() const { return elements_.size() - next_; }
  void PushNext(Queue& queue) REQUIRES(queue.mu_) { queue.elements_->Push(std::move(elements_[next_++])); }

  std::vector<QueueElement> elements_;
  size_t next_ = 0;
};

class Queue::Closing final : public Call {
 public:
  using Call::Call;
  Progress ServeBy(Queue& queue) override REQUIRES(queue.mu_) {
    if (queue.is_closed_) {
      return Refuse(*this, Error(Code::kCancelled, queue.type_.kind, " '", queue.name_, "' is already closed."));
    }
    if (!Claim()) return Progress::kGone;
    queue.is_closed_ = true;
    return Progress::kEnds;
  }
};

class Queue::Dequeuing final : public Call {
 public:
  enum class Form { kOne, kMany, kUpTo };
  Dequeuing(OpContext& ctx, Callback done, const QueueType& type, Form form, int64_t wanted)
      : Call(ctx, done), type_(type), form_(form), wanted_(wanted) {}

  Progress ServeBy(Queue& queue) override REQUIRES(queue.mu_) {
    ElementStore& elements = *queue.elements_;
    if (queue.is_closed_ && elements.size() < Missing()) {
      const int64_t there = num_taken() + elements.size();
      if (form_ != Form::kUpTo || there == 0) return Refuse(*this, Insufficient(queue, there));
      wanted_ = there;
    }
    const int64_t kept = queue.is_closed_ ? 0 : type_.min_after_dequeue;
    const bool moved = Missing() > 1 && elements.size() > kept;
    while (Missing() > 1 && elements.size() > kept) taken_.push_back(elements.Pop());
    if (Missing() > 1 || (Missing() == 1 && elements.size() <= kept))
      return moved ? Progress::kMoved : Progress::kWaits;
    if (!Claim()) return Progress::kGone;
    if (Missing() == 1) taken_.push_back(elements.Pop());
    return Progress::kEnds;
  }

  void UndoBy(Queue& queue) override REQUIRES(queue.mu_) {
    for (; !taken_.empty(); taken_.pop_back()) queue.elements_->PutBack(std::move(taken_.back()));
  }

 private:
  int64_t num_taken() const { return static_cast<int64_t>(taken_.size()); }
  int64_t Missing() const { return wanted_ - num_taken(); }

  Status Insufficient(const Queue& queue, int64_t there) const {
    return Error(Code::kOutOfRange, type_.kind, " '", queue.name_,
                 "' is closed and has insufficient elements (requested ", wanted_, ", current size ", there, ")");
  }

  Status Deliver() override {
    if (form_ != Form::kOne) return GiveBatch(ctx(), type_, taken_);
    for (size_t c = 0; c < type_.dtypes.size(); ++c) ctx().SetOutput(static_cast<int>(c), std::move(taken_[0][c]));
    return Status();
  }

  const QueueType& type_;  // type of the queue, which the call keeps alive
  const Form form_;
  int64_t wanted_;
  std::vector<QueueElement> taken_;
};

AsyncWaitQueue::Progress Queue::Refuse(WaitingCall& waiting_call, Status status) {
  if (!waiting_call.Claim()) return Progress::kGone;
  waiting_call.set_status(std::move(status));
  return Progress::kEnds;
}

AsyncWaitQueue::Progress Queue::Serve(WaitingCall& waiting_call) {
  auto& call = static_cast<Call&>(waiting_call);
  const Progress progress = call.ServeBy(*this);
  if (progress == Progress::kEnds && !call.status().ok()) call.UndoBy(*this);
  return progress;
}

void Queue::Undo(WaitingCall& waiting_call) {
  static_cast<Call&>(waiting_call).UndoBy(*this);
}

bool Queue::IsFull() const {
  return type_.capacity >= 0 && elements_->size() >= type_.capacity;
}

Status Queue::CheckComponents(size_t count) const {
  if (count == type_.dtypes.size()) return Status();
  return InvalidArgument("an element of ", type_.kind, " '", name_, "' has ", type_.dtypes.size(),
                         " components, but is given ", count);
}

Status Queue::CheckComponent(size_t c, DType dtype, const Shape& shape) const {
  if (dtype != type_.dtypes[c]) {
    return InvalidArgument("component ", c, " of ", type_.kind, " '", name_, "' is ", type_.dtypes[c],
                           ", but is given ", dtype);
  }
  if (type_.shapes.empty() || type_.shapes[c].IsCompatibleWith(shape)) return Status();
  return InvalidArgument("Shape mismatch in tuple component ", c, " of ", type_.kind, " '", name_, "'. Expected ",
                         type_.shapes[c], ", got ", shape);
}

Status Queue::CheckBatches() const {
  const bool known =
      !type_.shapes.empty() && std::all_of(type_.shapes.begin(), type_.shapes.end(), [&](const PartialShape& shape) {
        return type_.pads ? shape.known_rank() : shape.ToShape().ok();
      });
  if (known) return Status();
  return InvalidArgument(type_.kind, " '", name_, "': DequeueMany and DequeueUpTo require the components to have ",
                         "specified shapes; give the queue attr 'shapes'");
}

void Queue::Enqueue(OpContext& ctx, std::vector<QueueElement> elements, Callback done) {
  Submit(std::make_unique<Enqueuing>(ctx, done, std::move(elements)), kEnqueues);
}

void Queue::Dequeue(OpContext& ctx, Callback done) {
  Submit(std::make_unique<Dequeuing>(ctx, done, type_, Dequeuing::Form::kOne, 1), kDequeues);
}

void Queue::DequeueMany(OpContext& ctx, int64_t n, bool up_to, Callback done) {
  const auto form = up_to ? Dequeuing::Form::kUpTo : Dequeuing::Form::kMany;
  Submit(std::make_unique<Dequeuing>(ctx, done, type_, form, n), kDequeues);
}

void Queue::Close(OpContext& ctx, bool cancel_pending_enqueues, Callback done) {
  if (!cancel_pending_enqueues) return Submit(std::make_unique<Closing>(ctx, done), kEnqueues);
  {
    Finished finished;
    MutexLock lock(mu_);
    is_closed_ = true;  // the enqueues in line are refused
    ServeLines(finished);
  }
  done(Status());
}

int64_t Queue::size() const {
  MutexLock lock(mu_);
  return elements_->size();
}

bool Queue::is_closed() const {
  MutexLock lock(mu_);
  return is_closed_;
}

std::string Queue::DebugString() const {
  return StrCat(type_.kind, " '", name_, "'");
}

}  // namespace dfrun
