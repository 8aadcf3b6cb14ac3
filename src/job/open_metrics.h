// A file of the last metrics of a job in the text format of OpenMetrics 1.0, for the textfile collector of node
// exporters: dfrun_step{run="digits"} 120. Each metric is a gauge `dfrun_NAME` with the label `run`. In a name what is
// no letter, digit or '_' becomes '_'; where two names become one, each has the label `name` with its own.
#ifndef DFRUN_SRC_JOB_OPEN_METRICS_H_
#define DFRUN_SRC_JOB_OPEN_METRICS_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "src/job/job_observer.h"

namespace dfrun {

// Replaces the file by a rename, so that readers see a whole one: at a logged step or an evaluation, once a second at
// most, and at the end. Where it cannot be written the log has one warning, and the job goes on.
// Thread safety: one thread.
class OpenMetricsFile final : public JobObserver {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = Clock::time_point (*)();
  static constexpr std::chrono::seconds kInterval{1};
  // The beginning of each such file.
  static constexpr const char* kBegin = "# TYPE dfrun_running gauge\n";

  OpenMetricsFile(std::string path, std::string run, Now now = &Clock::now)
      : path_(std::move(path)), run_(std::move(run)), now_(now) {}

  void OnBegin(int64_t step, int64_t steps) override;
  Status OnStep(const JobResults& results) override;
  Status OnEvaluation(const JobResults& results) override;
  void OnEnd(const Status& status) override;

  // The content of the file now.
  std::string Text() const;

 private:
  void Take(const JobResults& results);
  void Write();

  const std::string path_;
  const std::string run_;
  const Now now_;
  bool is_running_ = false;
  bool has_failed_ = false;
  int64_t step_ = 0;
  int64_t steps_ = 0;
  double wall_s_ = 0;
  std::map<std::string, double> values_;         // by their own names
  std::map<std::string, int64_t> memory_bytes_;  // by device
  Clock::time_point written_{};
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_OPEN_METRICS_H_
