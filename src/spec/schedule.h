// Learning rates over steps.
#ifndef DFRUN_SRC_SPEC_SCHEDULE_H_
#define DFRUN_SRC_SPEC_SCHEDULE_H_

#include <cstdint>
#include <vector>

namespace dfrun {

struct ScheduleSpec {
  enum class Kind {
    kConstant,     // initial
    kPiecewise,    // values[i] while step < boundaries[i], then values.back()
    kStep,         // initial * factor ^ floor(step / steps)
    kExponential,  // initial * factor ^ (step / steps)
    kCosine,       // from initial at step 0 along half a cosine to final at `steps`, then final
  };
  Kind kind = Kind::kConstant;
  double initial = 0;
  double final = 0;
  double factor = 1;
  int64_t steps = 1;
  std::vector<int64_t> boundaries;  // ascending
  std::vector<double> values;       // boundaries.size() + 1
  // Steps of warmup, during which the rate is further multiplied by (step + 1) / warmup. 0: none.
  int64_t warmup = 0;
};

// The rate of a step; step 0 is the first update. The same bits on every machine of one libm.
double LearningRateAt(const ScheduleSpec& schedule, int64_t step);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SCHEDULE_H_
