// A request to end before the work is done, as a signal makes it. Code that runs steps looks for it between two of
// them.
//
//   CatchStopSignals();                       // jobs/: before other threads start
//   ... if (ProcessStop().signal() != 0) ...  // saves, and ends
#ifndef DFRUN_SRC_BASE_STOP_REQUEST_H_
#define DFRUN_SRC_BASE_STOP_REQUEST_H_

#include <semaphore.h>

#include <atomic>
#include <string_view>

#include "src/base/status.h"

namespace dfrun {

// Thread safety: all methods from any thread, Make() from a signal handler too.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  // The first call counts.
  void Make(int signal);
  // SIGTERM, SIGINT or SIGUSR1; 0: no request.
  int signal() const { return signal_.load(std::memory_order_relaxed); }

  // For one thread: blocks until a request is made, or Wake() is called.
  void Wait();
  void Wake();

 private:
  std::atomic<int> signal_{0};
  static_assert(std::atomic<int>::is_always_lock_free, "a signal handler writes it");
  sem_t wake_;
};

// The request of this process. It is global because a signal handler can reach nothing else.
StopRequest& ProcessStop();

// From now on SIGTERM, SIGINT and SIGUSR1 make the request of this process. A second SIGINT ends it at once, with 130.
void CatchStopSignals();

// "SIGTERM".
std::string_view SignalName(int signal);
// The error code of a job that ends at this signal. Its ExitCode() is 128 + the signal; where `saves` says that there
// are checkpoints to resume from, it is Requeue, except for SIGINT.
Code StopCode(int signal, bool saves);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_STOP_REQUEST_H_
