// A schedule as numbers, for the attr of a node.
#ifndef DFRUN_SRC_SPEC_SCHEDULE_NUMBERS_H_
#define DFRUN_SRC_SPEC_SCHEDULE_NUMBERS_H_

#include <span>
#include <vector>

#include "src/base/status.h"
#include "src/spec/schedule.h"

namespace dfrun {

// ScheduleOf() makes the schedule of NumbersOf() again: LearningRateAt() has equal bits for both. InvalidArgument for
// numbers that are none of a schedule.
std::vector<double> NumbersOf(const ScheduleSpec& schedule);
Result<ScheduleSpec> ScheduleOf(std::span<const double> numbers);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SCHEDULE_NUMBERS_H_
