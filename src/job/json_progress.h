// Shows a running job to a program that collects logs: a JSON object a line, as src/base/json/log_line.h has them. A message
// has a "message", a step or an evaluation has "step", "steps" and "metrics", those of its line in metrics.jsonl.
#ifndef DFRUN_SRC_JOB_JSON_PROGRESS_H_
#define DFRUN_SRC_JOB_JSON_PROGRESS_H_

#include <chrono>
#include <cstdio>
#include <string>

#include "src/job/job_observer.h"

namespace dfrun {

// Prints to `out`, which outlives it: every message and evaluation, and of the logged steps one an interval and the
// last, as Progress does without a terminal.
class JsonProgress final : public JobObserver {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = Clock::time_point (*)();
  explicit JsonProgress(std::FILE* out, Now now = &Clock::now) : out_(out), now_(now) {}
  ~JsonProgress() override;

  void OnMessage(const std::string& text) override;
  Status OnStep(const JobResults& results) override;
  Status OnEvaluation(const JobResults& results) override;

 private:
  Status Metrics(const JobResults& results);

  std::FILE* const out_;
  const Now now_;
  Clock::time_point printed_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_JSON_PROGRESS_H_
