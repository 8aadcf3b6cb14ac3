#include "kernels/queues/async_wait_queue.h"

#include <algorithm>
#include <utility>

namespace dfrun {

bool WaitingCall::Claim() {
  Cancellation* const cancellation = ctx_.step().cancellation;
  return cancellation == nullptr || cancellation->Remove(*this);
}

void WaitingCall::Cancel(const Status& status) {
  status_ = status;
  const RefPtr<AsyncWaitQueue> object = object_;  // this may be gone before Leave() returns
  object->Leave(*this);
}

void WaitingCall::Finish() {
  const std::unique_ptr<WaitingCall> self(this);
  if (status_.ok()) status_ = Deliver();
  const Callback done = done_;
  done(std::move(status_));
}

AsyncWaitQueue::Finished::~Finished() {
  for (WaitingCall* waiting_call : waiting_calls_) waiting_call->Finish();
}

void AsyncWaitQueue::Submit(std::unique_ptr<WaitingCall> waiting_call, size_t line) {
  waiting_call->object_ = RefPtr<AsyncWaitQueue>(this);
  waiting_call->line_ = line;
  Cancellation* const cancellation = waiting_call->ctx().step().cancellation;
  if (cancellation != nullptr) {
    if (Status status = cancellation->Add(*waiting_call); !status.ok()) {
      waiting_call->set_status(std::move(status));
      return waiting_call.release()->Finish();
    }
  }
  Finished finished;
  MutexLock lock(mu_);
  WaitingCall* const waiting = waiting_call.release();
  if (waiting->is_cancelled_) return finished.Add(waiting);
  waiting->state_ = WaitingCall::State::kInLine;
  if (line >= lines_.size()) lines_.resize(line + 1);
  lines_[line].push_back(waiting);
  ServeLines(finished);
}

void AsyncWaitQueue::ServeLines(Finished& finished) {
  for (bool moved = true; moved;) {
    moved = false;
    for (std::deque<WaitingCall*>& line : lines_) {
      while (!line.empty() && ServeFirst(line, finished)) moved = true;
    }
  }
}

bool AsyncWaitQueue::ServeFirst(std::deque<WaitingCall*>& line, Finished& finished) {
  WaitingCall* const waiting_call = line.front();
  const Progress progress = Serve(*waiting_call);
  if (progress == Progress::kWaits || progress == Progress::kMoved) return progress == Progress::kMoved;
  line.pop_front();
  waiting_call->state_ = WaitingCall::State::kOut;
  if (progress == Progress::kEnds) {
    finished.Add(waiting_call);
  } else {
    Undo(*waiting_call);  // Cancel() ends it
  }
  return true;
}

// Ends a cancelled call. Submit() ends a call that has not entered its line yet.
void AsyncWaitQueue::Leave(WaitingCall& waiting_call) {
  Finished finished;
  MutexLock lock(mu_);
  waiting_call.is_cancelled_ = true;
  if (waiting_call.state_ == WaitingCall::State::kComing) return;
  finished.Add(&waiting_call);
  if (waiting_call.state_ == WaitingCall::State::kOut) return;
  std::erase(lines_[waiting_call.line_], &waiting_call);
  Undo(waiting_call);
  ServeLines(finished);
}

}  // namespace dfrun
