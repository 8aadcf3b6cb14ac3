// Steps that fill queues beside the steps of a job, as TensorFlow's QueueRunner and Coordinator run them.
//
// Each enqueue op has a thread of its own, which runs it step by step until there is no more (an error of the kind that
// says so): when the last op of a runner has ended so, the queue is closed, and its readers get the elements that are
// left. Any other error ends all runners: their queues are closed and the waits in them are cancelled. Source:
// tensorflow/python/training/queue_runner_impl.py.
#ifndef DFRUN_SRC_SESSION_QUEUE_RUNNERS_H_
#define DFRUN_SRC_SESSION_QUEUE_RUNNERS_H_

#include <atomic>
#include <thread>
#include <vector>

#include "src/base/mutex.h"
#include "src/session/session.h"

namespace dfrun {

struct PreparedRunner {
  std::vector<Session::Handle> enqueue;
  Session::Handle close = nullptr;   // closes the queues
  Session::Handle cancel = nullptr;  // closes them, and cancels enqueues that wait
  std::vector<Code> ends;            // errors that say that there is no more
};

// Thread safety: one thread, but for failure(). The session, of one rank, outlives it. Every handle takes `feeds` and
// fetches nothing.
class QueueRunners {
 public:
  QueueRunners(Session& session, std::vector<PreparedRunner> runners, std::vector<Tensor> feeds);
  ~QueueRunners();  // Stop()
  QueueRunners(const QueueRunners&) = delete;
  QueueRunners& operator=(const QueueRunners&) = delete;

  // Begins all runners.
  void Start();
  // Ends them, and waits for the steps that they are at. Errors that this causes count for nothing.
  void Stop();
  bool empty() const { return runners_.empty(); }
  // The first error of a runner other than the end of its elements.
  Status failure() const EXCLUDES(mu_);

 private:
  struct Running {
    PreparedRunner runner;
    std::atomic<int> left{0};
  };

  void Fill(Running& running, Session::Handle enqueue);
  void Cancel();

  Session& session_;
  const std::vector<Tensor> feeds_;
  std::vector<std::unique_ptr<Running>> runners_;
  std::vector<std::thread> threads_;
  std::atomic<bool> stop_{false};
  mutable Mutex mu_;
  Status failure_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_QUEUE_RUNNERS_H_
