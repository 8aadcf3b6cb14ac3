// The best steps of a job: those of the evaluations that gave the best values of a metric. Their checkpoints are kept.
#ifndef DFRUN_SRC_JOB_BEST_STEPS_H_
#define DFRUN_SRC_JOB_BEST_STEPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/json/json_value.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// Thread safety: one thread.
class BestSteps {
 public:
  // The name of the object in Manifest::state.
  static constexpr const char* kName = "best";

  // `spec` outlives it.
  explicit BestSteps(const BestSpec& spec) : spec_(spec) {}

  // Goes on from the state of a checkpoint. Returns a line about what of it cannot be gone on from; "" where all can.
  std::string Resume(const JsonValue& state);
  // Takes the metric's value of an evaluation; true where the step is now one of the best. Of equal values the earlier
  // is better; NaN is never one.
  bool Take(double value, int64_t step);
  // The best first, at most BestSpec::keep.
  std::vector<int64_t> steps() const;
  JsonValue ToJson() const;

  // The best step in the state of a checkpoint; NotFound where it has none.
  static Result<int64_t> StepIn(const JsonValue& state);

 private:
  struct Best {
    int64_t step = 0;
    double value = 0;
  };
  bool IsBetter(double value, double other) const { return spec_.goal.is_max ? value > other : value < other; }
  Status Read(const JsonValue& saved);

  const BestSpec& spec_;
  std::vector<Best> best_;  // the best first
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_BEST_STEPS_H_
