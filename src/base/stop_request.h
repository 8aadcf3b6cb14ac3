// A request to end before the work is done, as a signal makes it. Code that runs steps looks for it between two of
// them.
//
//   CatchStopSignals();                       // jobs/: before other threads start
//   ... if (ProcessStop().signal() != 0) ...  // saves, and ends
#ifndef DFRUN_SRC_BASE_STOP_REQUEST_H_
#define DFRUN_SRC_BASE_STOP_REQUEST_H_

#include <semaphore.h>

#include <atomic>
#include <csignal>
#include <string_view>

#include "src/base/status.h"

namespace dfrun {

// The signals that ask a job to stop.
inline constexpr int kStopSignals[] = {SIGTERM, SIGINT, SIGUSR1, SIGHUP, SIGXCPU, SIGQUIT};

// Thread safety: all methods from any thread, Make() from a signal handler too.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  // The first call counts.
  void Make(int signal);
  // Returns the signal of the request, one of kStopSignals; 0: none.
  int signal() const { return signal_.load(std::memory_order_relaxed); }

  // Blocks one thread until a request is made, or Wake() is called.
  void Wait();
  void Wake();

 private:
  std::atomic<int> signal_{0};
  static_assert(std::atomic<int>::is_always_lock_free, "a signal handler writes it");
  sem_t wake_;
};

// The request of this process. It is global because a signal handler can reach nothing else.
StopRequest& ProcessStop();

// Makes kStopSignals this process's requests from now on, except signals that it was started to ignore, as nohup does.
// A second SIGINT or SIGQUIT ends it at once, with 128 + the signal; of the others all but the first say nothing new.
void CatchStopSignals();

// "SIGTERM".
std::string_view SignalName(int signal);
// The error code of a job that ends at this signal; where `saves` says that there are checkpoints to resume from, it is
// Requeue, except for SIGINT.
Code StopCode(int signal, bool saves);
// The exit code of this process for an outcome: 128 + the signal where a signal has ended the job and nothing was
// saved, else ExitCode().
int ExitCodeAfterStop(Code code);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_STOP_REQUEST_H_
