// Simulates a step on its devices.
#ifndef DFRUN_SRC_PLAN_SIMULATE_STEP_H_
#define DFRUN_SRC_PLAN_SIMULATE_STEP_H_

#include <vector>

#include "src/plan/step_tasks.h"

namespace dfrun {

// Times are in seconds.
struct SimulatedStep {
  double seconds = 0;
  std::vector<double> busy_s;       // by device
  std::vector<double> port_busy_s;  // by port
  // The chain of tasks that leads to the end of the step, from the first on: each begins when the one before it has
  // ended, or its message is there. `path_tasks_s` are of its tasks, `path_messages_s` of the messages between them.
  std::vector<int> path;
  double path_tasks_s = 0;
  double path_messages_s = 0;
  bool is_whole = true;  // false: tasks wait for each other in a circle, and are left out
};

// Runs the step as the executor does: a device takes the task that has been ready for longest, those ready at one time
// in their order; a message leaves its port when those that were there before it have left, and the device that gets it
// does its part of it before its next task.
// Time: n log n in the number of tasks and messages. Thread safety: any thread.
SimulatedStep SimulateStep(const StepTasks& step);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_SIMULATE_STEP_H_
