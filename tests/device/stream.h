// A stream executes a device's work in order, on a thread of its own.
#ifndef DFRUN_TESTS_DEVICE_STREAM_H_
#define DFRUN_TESTS_DEVICE_STREAM_H_

#include <deque>
#include <functional>
#include <thread>

#include "src/base/mutex.h"
#include "src/base/status.h"
#include "src/base/threads.h"

namespace dfrun::sealed {

// Thread safety: stated at each method. The destructor first executes all that is enqueued.
class Stream {
 public:
  Stream() : thread_([this] { Main(); }) {}
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Enqueues a task behind all earlier ones.
  // Thread safety: any thread.
  void Enqueue(std::function<void()> task) EXCLUDES(mu_);
  // Enqueues a task and waits for it; the stream's own thread executes it at once.
  // Thread safety: any thread.
  void Run(FunctionRef<void()> task) EXCLUDES(mu_);

  // Returns the first error of the tasks that were enqueued since TakeFailure(). Called by the stream's tasks.
  const Status& failure() const { return failure_; }
  void Fail(const Status& status) {
    if (failure_.ok()) failure_ = status;
  }
  Status TakeFailure() { return std::exchange(failure_, Status()); }

 private:
  void Main();
  // Waits for a task; returns an empty one when all are done and no more will come.
  std::function<void()> Next() EXCLUDES(mu_);

  Mutex mu_;
  CondVar changed_;
  std::deque<std::function<void()>> tasks_ GUARDED_BY(mu_);
  bool is_ending_ GUARDED_BY(mu_) = false;
  Status failure_;
  std::thread thread_;
};

}  // namespace dfrun::sealed

#endif  // DFRUN_TESTS_DEVICE_STREAM_H_
