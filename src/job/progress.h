// Shows a running job to a person: on a terminal one line that updates in place, elsewhere a line an interval.
#ifndef DFRUN_SRC_JOB_PROGRESS_H_
#define DFRUN_SRC_JOB_PROGRESS_H_

#include <chrono>
#include <cstdio>
#include <string>

#include "src/job/job_observer.h"

namespace dfrun {

// Prints to `out`, which outlives it: the rate of steps and the time to the end once they can be told from 20 steps, or
// from 10 seconds. Colour only on a terminal and without NO_COLOR.
class Progress final : public JobObserver {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = Clock::time_point (*)();
  // The time between two lines where there is no terminal.
  static constexpr std::chrono::seconds kLogInterval{2};
  explicit Progress(std::FILE* out, Now now = &Clock::now);
  ~Progress() override;

  void OnMessage(const std::string& text) override;
  void OnBegin(int64_t step, int64_t steps) override;
  Status OnStep(const JobResults& results) override;
  Status OnEvaluation(const JobResults& results) override;

 private:
  std::string PrintRate(int64_t step, int64_t steps, Clock::time_point now) const;
  void Line(const std::string& text);
  void EndUpdatingLine();

  std::FILE* const out_;
  const Now now_;
  const bool is_terminal_;
  const bool has_colour_;
  bool updating_ = false;   // the cursor is on a line that the next step overwrites
  int64_t first_step_ = 0;  // steps that were done when this run began
  Clock::time_point first_time_;
  Clock::time_point printed_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_PROGRESS_H_
