// The progress of a job by the metrics of its evaluations: its best steps and its early end, and the evaluations of the
// step that it goes on from which are still to be made. All of it is state of a checkpoint.
#ifndef DFRUN_SRC_JOB_EVALUATION_PROGRESS_H_
#define DFRUN_SRC_JOB_EVALUATION_PROGRESS_H_

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/base/json/json_value.h"
#include "src/framework/values/tensor.h"
#include "src/job/best_steps.h"
#include "src/job/early_stop.h"

namespace dfrun {

// Thread safety: one thread.
class EvaluationProgress {
 public:
  // The name of the object with the last step of each evaluation in Manifest::state.
  static constexpr const char* kName = "evaluations";

  // `spec` outlives it.
  explicit EvaluationProgress(const JobSpec& spec);

  // Goes on from the state of a checkpoint of `step`; returns lines for a person.
  std::vector<std::string> Resume(const JsonValue& state);
  // Whether the evaluation was due after the step that the job goes on from, and the signal that ended the job came
  // before it.
  bool IsMissing(const EvalSpec& eval, int64_t step) const;
  // Whether the evaluation has been made after this step.
  bool IsMade(const std::string& evaluation, int64_t step) const;

  // Takes the metrics of an evaluation, by their names in metrics.jsonl.
  void Take(const std::string& evaluation, std::span<const std::pair<std::string, Tensor>> metrics, int64_t step);
  // Whether the last step has become one of the best; once.
  bool TakeNewBest() { return std::exchange(has_new_best_, false); }
  // The step could not be saved: it is none of the best.
  void ForgetNewBest();
  std::vector<int64_t> best_steps() const { return best_ ? best_->steps() : std::vector<int64_t>(); }
  // Whether the training ends before its last step, and why.
  bool is_stopped() const { return stop_ && stop_->is_met(); }
  std::string why_stopped() const { return stop_ ? stop_->Describe() : ""; }

  // Writes it into the state of a checkpoint; members of other names stay.
  void Save(JsonValue& state) const;

 private:
  const JobSpec& spec_;
  std::optional<BestSteps> best_;
  std::optional<BestSteps> best_before_;  // before the last evaluation that gave a new one
  std::optional<EarlyStop> stop_;
  std::map<std::string, int64_t> last_;  // the last step after which each evaluation was made
  bool knows_last_ = true;               // false: the checkpoint does not say it
  bool has_new_best_ = false;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_EVALUATION_PROGRESS_H_
