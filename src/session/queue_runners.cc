#include "src/session/queue_runners.h"

#include <algorithm>
#include <utility>

#include "src/base/log.h"

namespace dfrun {

QueueRunners::QueueRunners(Session& session, std::vector<PreparedRunner> runners, std::vector<Tensor> feeds)
    : session_(session), feeds_(std::move(feeds)) {
  for (PreparedRunner& runner : runners) {
    auto running = std::make_unique<Running>();
    running->left = static_cast<int>(runner.enqueue.size());
    running->runner = std::move(runner);
    runners_.push_back(std::move(running));
  }
}

QueueRunners::~QueueRunners() {
  Stop();
}

void QueueRunners::Start() {
  for (const auto& running : runners_) {
    for (const Session::Handle enqueue : running->runner.enqueue) {
      threads_.emplace_back([this, &running = *running, enqueue] { Fill(running, enqueue); });
    }
  }
}

void QueueRunners::Fill(Running& running, Session::Handle enqueue) {
  Status status;
  while (status.ok() && !stop_) status = session_.RunStep(enqueue, feeds_, {});
  if (stop_) return;
  const std::vector<Code>& ends = running.runner.ends;
  if (std::find(ends.begin(), ends.end(), status.code()) == ends.end()) {
    {
      MutexLock lock(mu_);
      if (failure_.ok()) failure_ = status;
    }
    return Cancel();
  }
  if (--running.left > 0) return;
  const Status closed = session_.RunStep(running.runner.close, feeds_, {});
  if (!closed.ok()) DF_LOG(kWarning) << "closing a queue whose elements have ended: " << closed.ToString();
}

// Cancels the queues of all runners. A queue that is closed already, or whose step fails, needs nothing more.
void QueueRunners::Cancel() {
  stop_ = true;
  for (const auto& running : runners_) {
    const Status cancelled = session_.RunStep(running->runner.cancel, feeds_, {});
    if (!cancelled.ok()) DF_LOG(kWarning) << "closing a queue: " << cancelled.ToString();
  }
}

void QueueRunners::Stop() {
  if (threads_.empty()) return;
  Cancel();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

Status QueueRunners::failure() const {
  MutexLock lock(mu_);
  return failure_;
}

}  // namespace dfrun
