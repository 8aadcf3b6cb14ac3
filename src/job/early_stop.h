// The end of a training whose metric no longer gets better.
#ifndef DFRUN_SRC_JOB_EARLY_STOP_H_
#define DFRUN_SRC_JOB_EARLY_STOP_H_

#include <cstdint>
#include <optional>
#include <string>

#include "src/base/json/json_value.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// Thread safety: one thread.
class EarlyStop {
 public:
  // The name of the object in Manifest::state.
  static constexpr const char* kName = "stop";

  // `spec` outlives it.
  explicit EarlyStop(const StopSpec& spec) : spec_(spec) {}

  // Goes on from the state of a checkpoint. Returns a line about a limit that has changed since, or a state that cannot
  // be gone on from; "" where there is nothing to say.
  std::string Resume(const JsonValue& state);
  // Takes the metric's value of an evaluation. NaN is never better than another.
  void Take(double value, int64_t step);
  // Whether the training ends.
  bool is_met() const { return waited_ >= spec_.patience; }
  // "eval/loss has not been less than 0.25, that of step 40, in 5 evaluations".
  std::string Describe() const;
  JsonValue ToJson() const;

 private:
  struct Best {
    int64_t step = 0;
    double value = 0;
  };
  bool IsBetter(double value) const;
  Status Read(const JsonValue& saved);

  const StopSpec& spec_;
  std::optional<Best> best_;
  int64_t waited_ = 0;  // evaluations since the best one
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_EARLY_STOP_H_
