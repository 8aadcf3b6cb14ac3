// What a device does, one thing after the other, on a thread of its own.
#ifndef DFRUN_TESTS_DEVICE_STREAM_H_
#define DFRUN_TESTS_DEVICE_STREAM_H_

#include <deque>
#include <functional>
#include <thread>

#include "src/base/mutex.h"
#include "src/base/status.h"
#include "src/base/threads.h"

namespace dfrun::sealed {

// Thread safety: as each method says. The destructor first does all that is enqueued.
class Stream {
 public:
  Stream() : thread_([this] { Main(); }) {}
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Any thread. Does it after all that was enqueued before.
  void Enqueue(std::function<void()> task) EXCLUDES(mu_);
  // Any thread: the same, and waits for it; the stream itself does it at once.
  void Run(FunctionRef<void()> task) EXCLUDES(mu_);

  // Of the stream's tasks: the first error of those that were enqueued since TakeFailure().
  const Status& failure() const { return failure_; }
  void Fail(const Status& status) {
    if (failure_.ok()) failure_ = status;
  }
  Status TakeFailure() { return std::exchange(failure_, Status()); }

 private:
  void Main();
  // Waits for a task; none when all are done and no more come.
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
