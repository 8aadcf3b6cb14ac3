// A bound of the time that a rank works on after it has been asked to stop. The thread that leads the work looks for
// the request between two steps, saves and ends; where the step in progress does not end in time, the guard ends the
// job instead.
#ifndef DFRUN_SRC_SESSION_GRACE_PERIOD_WATCHDOG_H_
#define DFRUN_SRC_SESSION_GRACE_PERIOD_WATCHDOG_H_

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "src/base/mutex.h"
#include "src/base/stop_request.h"

namespace dfrun {

// Thread safety: all methods from any thread.
class GracePeriodWatchdog {
 public:
  using Seconds = std::chrono::duration<double>;
  // Ends the job on all ranks with this error. Called once at most, on the guard's thread.
  using End = std::function<void(const Status&)>;

  // `request` outlives the guard, which is the only one to wait for it. Until the guard goes the work must end within
  // `grace` of the request.
  GracePeriodWatchdog(StopRequest& request, Seconds grace, End end);
  // Ends the guard: it ends no job from here on.
  ~GracePeriodWatchdog();
  GracePeriodWatchdog(const GracePeriodWatchdog&) = delete;
  GracePeriodWatchdog& operator=(const GracePeriodWatchdog&) = delete;

  StopRequest& request() { return request_; }
  int signal() const { return request_.signal(); }

  // Facts about the work, for the error that ends it. `saves`: it writes checkpoints, so that it is to be started
  // again.
  void SetSaves(bool saves) EXCLUDES(mu_);
  bool saves() EXCLUDES(mu_);
  // The state of checkpoints: "step 40 is saved in run/checkpoints"; empty: nothing is saved, and there is nothing to
  // start again from. Without a call it is not known.
  void SetCommitted(std::string committed) EXCLUDES(mu_);
  void SetGrace(Seconds grace) EXCLUDES(mu_);

  // Ends the bound: the step in progress has ended, or another mechanism bounds it, and the rest may take as long as it
  // takes.
  void Disarm() EXCLUDES(mu_);

 private:
  void Watch() EXCLUDES(mu_);
  Status Overdue() const REQUIRES(mu_);

  StopRequest& request_;
  const End end_;
  Mutex mu_;
  CondVar changed_;
  Seconds grace_ GUARDED_BY(mu_);
  bool saves_ GUARDED_BY(mu_) = false;
  std::optional<std::string> committed_ GUARDED_BY(mu_);
  bool is_over_ GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_GRACE_PERIOD_WATCHDOG_H_
