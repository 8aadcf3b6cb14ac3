#include "kernels/queues/waitable.h"

#include <algorithm>
#include <utility>

namespace dfrun {

bool Attempt::Claim() {
  Cancellation* const cancellation = ctx_.step().cancellation;
  return cancellation == nullptr || cancellation->Remove(*this);
}

void Attempt::Cancel(const Status& status) {
  status_ = status;
  const RefPtr<Waitable> object = object_;  // this may be gone before Leave() returns
  object->Leave(*this);
}

void Attempt::Finish() {
  const std::unique_ptr<Attempt> self(this);
  if (status_.ok()) status_ = Deliver();
  const Callback done = done_;
  done(std::move(status_));
}

Waitable::Finished::~Finished() {
  for (Attempt* attempt : attempts_) attempt->Finish();
}

void Waitable::Submit(std::unique_ptr<Attempt> attempt, size_t line) {
  attempt->object_ = RefPtr<Waitable>(this);
  attempt->line_ = line;
  Cancellation* const cancellation = attempt->ctx().step().cancellation;
  if (cancellation != nullptr) {
    if (Status status = cancellation->Add(*attempt); !status.ok()) {
      attempt->set_status(std::move(status));
      return attempt.release()->Finish();
    }
  }
  Finished finished;
  MutexLock lock(mu_);
  Attempt* const waiting = attempt.release();
  if (waiting->is_cancelled_) return finished.Add(waiting);
  waiting->place_ = Attempt::Place::kInLine;
  lines_[line].push_back(waiting);
  ServeLines(finished);
}

void Waitable::ServeLines(Finished& finished) {
  for (bool moved = true; moved;) {
    moved = false;
    for (std::deque<Attempt*>& line : lines_) {
      while (!line.empty() && ServeFirst(line, finished)) moved = true;
    }
  }
}

bool Waitable::ServeFirst(std::deque<Attempt*>& line, Finished& finished) {
  Attempt* const attempt = line.front();
  const Progress progress = Serve(*attempt);
  if (progress == Progress::kWaits || progress == Progress::kMoved) return progress == Progress::kMoved;
  line.pop_front();
  attempt->place_ = Attempt::Place::kOut;
  if (progress == Progress::kEnds) {
    finished.Add(attempt);
  } else {
    Undo(*attempt);  // Cancel() ends it
  }
  return true;
}

// Of a cancelled attempt. One that has not come into its line yet is ended by Submit().
void Waitable::Leave(Attempt& attempt) {
  Finished finished;
  MutexLock lock(mu_);
  attempt.is_cancelled_ = true;
  if (attempt.place_ == Attempt::Place::kComing) return;
  finished.Add(&attempt);
  if (attempt.place_ == Attempt::Place::kOut) return;
  std::erase(lines_[attempt.line_], &attempt);
  Undo(attempt);
  ServeLines(finished);
}

}  // namespace dfrun
