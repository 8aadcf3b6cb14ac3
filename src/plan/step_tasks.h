// A step as tasks on devices and messages between them, for its simulation.
#ifndef DFRUN_SRC_PLAN_STEP_TASKS_H_
#define DFRUN_SRC_PLAN_STEP_TASKS_H_

#include <vector>

namespace dfrun {

// Times are in seconds.
struct StepTask {
  int device = 0;
  double seconds = 0;    // on its device
  double fastest_s = 0;  // on the fastest of the devices that it could be on
};

// A value that is on its way from the end of one task to another, on a device elsewhere.
struct StepMessage {
  int from = 0;          // task
  int to = 0;            // task
  int port = 0;          // the port that it leaves by
  double port_s = 0;     // how long it holds the port
  double latency_s = 0;  // from when it has left until it is there
  double receive_s = 0;  // then the device that gets it is busy with it for so long
};

struct StepTasks {
  int devices = 0;  // a device does one task at a time
  int ports = 0;    // a port sends one message at a time
  std::vector<StepTask> tasks;
  std::vector<std::vector<int>> readers;  // by task: those of its device that wait for it; no task is behind itself
  std::vector<StepMessage> messages;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_STEP_TASKS_H_
