// The numbers that a training tells of itself in a logged step, beside what its spec fetches.
//
// By the spec and the steps alone: `epoch`, samples of the train input that are used up, of those that it has;
// `learning_rate`, as the step used it. By the run: `samples_per_s`, over the steps since the last logged one and the
// time that they took, without evaluations and saves; `waiting/min`, `waiting/mean` and `waiting/max` over the ranks,
// of the time since the last logged step, the share in which a rank had nothing to run.
#ifndef DFRUN_SRC_JOB_STEP_METRICS_H_
#define DFRUN_SRC_JOB_STEP_METRICS_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/framework/values/tensor.h"
#include "src/session/waited_time.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// Thread safety: one thread.
class StepMetrics {
 public:
  using NamedTensors = std::vector<std::pair<std::string, Tensor>>;
  using Clock = std::chrono::steady_clock;
  using Now = Clock::time_point (*)();

  // Without `train:` there are none. A name in `fetched` stays that of the fetch. `rate`: the dtype in which
  // steps take the learning rate. The spec outlives this.
  StepMetrics(const JobSpec& job, std::vector<std::string> fetched, DType rate, Now now = &Clock::now);

  // Begins after `step` steps, which have used up `samples` samples of the train input. `waited`: by rank; empty: the
  // shares of waiting are not told.
  void Begin(int64_t step, int64_t samples, std::vector<WaitedTime> waited);
  // Around steps that run, all that there are.
  void BeginSteps() { begun_ = now_(); }
  void EndSteps() { steps_time_ += now_() - begun_; }
  // Steps that have run, of which no one else has told the time.
  void AddSteps(std::chrono::duration<double> time) {
    steps_time_ += std::chrono::duration_cast<Clock::duration>(time);
  }
  // Takes the numbers of a step that is logged. `waited` as in Begin(), empty where a later step tells it; a rank whose
  // clock has not gone on since has told nothing.
  void Log(int64_t step, std::vector<WaitedTime> waited);

  // The numbers of the last step that was logged.
  const NamedTensors& schedule() const { return schedule_; }  // by the spec
  const NamedTensors& timings() const { return timings_; }    // by this run

 private:
  void Add(NamedTensors& to, const char* name, const Tensor& value) const;
  void AddSchedule(int64_t step);
  void AddRate(int64_t step);
  void AddWaiting(const std::vector<WaitedTime>& waited);

  const TrainSpec* const train_;  // null: there is none
  const InputSpec* const input_;  // null: the loss reads none
  const std::vector<std::string> fetched_;
  const DType rate_;
  const Now now_;
  int64_t first_step_ = 0;
  int64_t first_samples_ = 0;
  int64_t logged_step_ = 0;
  std::vector<WaitedTime> waited_;  // when the last line was logged
  Clock::time_point begun_;
  Clock::duration steps_time_{};  // since the last line
  NamedTensors schedule_;
  NamedTensors timings_;
};

// Steps run as long as it lives.
class StepsTimer {
 public:
  explicit StepsTimer(StepMetrics& metrics) : metrics_(metrics) { metrics_.BeginSteps(); }
  ~StepsTimer() { metrics_.EndSteps(); }
  StepsTimer(const StepsTimer&) = delete;
  StepsTimer& operator=(const StepsTimer&) = delete;

 private:
  StepMetrics& metrics_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_STEP_METRICS_H_
