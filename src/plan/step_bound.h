// Lower bounds of the time of a step: what no placement of its tasks on these devices is below.
#ifndef DFRUN_SRC_PLAN_STEP_BOUND_H_
#define DFRUN_SRC_PLAN_STEP_BOUND_H_

#include "src/plan/lower_bound.h"
#include "src/plan/step_tasks.h"

namespace dfrun {

// Returns the larger of two bounds in seconds. Tasks that wait for each other do so wherever they are, so a chain of
// them takes at least the sum of their fastest times, without any message. And each task takes at least its fastest
// time of some device, so that the sum over all tasks, divided by the devices, is no more than what the busiest has.
// Thread safety: any thread.
PlacementBound BoundOfStep(const StepTasks& step);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_STEP_BOUND_H_
