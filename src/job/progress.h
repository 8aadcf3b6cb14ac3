// Shows a running job to a person: on a terminal one line that updates in place, elsewhere a line an interval.
#ifndef DFRUN_SRC_JOB_PROGRESS_H_
#define DFRUN_SRC_JOB_PROGRESS_H_

#include <chrono>
#include <cstdio>
#include <string>

#include "src/job/job_observer.h"

namespace dfrun {

// Prints to `out`, which outlives it. Colour only on a terminal and without NO_COLOR.
class Progress final : public JobObserver {
 public:
  explicit Progress(std::FILE* out);
  ~Progress() override;

  void OnMessage(const std::string& text) override;
  Status OnStep(const JobResults& results) override;
  Status OnEvaluation(const JobResults& results) override;

 private:
  using Clock = std::chrono::steady_clock;

  void Line(const std::string& text);
  void EndUpdatingLine();

  std::FILE* const out_;
  const bool is_terminal_;
  const bool has_colour_;
  bool updating_ = false;  // the cursor is on a line that the next step overwrites
  int64_t first_step_ = -1;
  Clock::time_point first_time_;
  Clock::time_point printed_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_PROGRESS_H_
