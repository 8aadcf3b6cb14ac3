// The part of a job's state that says by which metric of an evaluation it came about.
#ifndef DFRUN_SRC_JOB_GOAL_STATE_H_
#define DFRUN_SRC_JOB_GOAL_STATE_H_

#include <string>

#include "src/base/json/json_value.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// "eval/loss, 'min'".
std::string DescribeGoal(const GoalSpec& goal);
// Sets the members `metric` and `mode` of a state.
void SetGoal(const GoalSpec& goal, JsonValue& state);
// DescribeGoal() of the state's metric where that is another one; "" where it is the same, or is not there.
std::string OtherGoalOf(const JsonValue& state, const GoalSpec& goal);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_GOAL_STATE_H_
