// The number of steps that a replica which runs for itself is asked for at once.
#ifndef DFRUN_SRC_JOB_REQUEST_SIZE_H_
#define DFRUN_SRC_JOB_REQUEST_SIZE_H_

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace dfrun {

// Bounds requests as src/session/master.cc does: a signal is heard between two requests, and messages of the steps of
// one request wait in the receiver's memory.
// Thread safety: one thread.
class RequestSize {
 public:
  // The most steps of the next request.
  int64_t most() const { return most_; }
  // Around a request of so many steps.
  void Begin(int64_t steps) {
    steps_ = steps;
    begun_ = Clock::now();
  }
  void End() {
    const std::chrono::duration<double> step_time = (Clock::now() - begun_) / static_cast<double>(steps_);
    const double wanted = kRequestTime / std::max(step_time, std::chrono::duration<double>(1e-9));
    most_ = static_cast<int64_t>(std::clamp(wanted, 1.0, static_cast<double>(kMaxSteps)));
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int64_t kMaxSteps = 100;
  static constexpr std::chrono::duration<double> kRequestTime{0.25};

  int64_t most_ = 1;
  int64_t steps_ = 1;
  Clock::time_point begun_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_REQUEST_SIZE_H_
