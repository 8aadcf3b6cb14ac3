// The nodes of a step in units that share a device wherever they are placed, for bounds of the step (step_bound.h).
#ifndef DFRUN_SRC_PLAN_STEP_UNITS_H_
#define DFRUN_SRC_PLAN_STEP_UNITS_H_

#include <functional>
#include <string>
#include <vector>

namespace dfrun {

// All devices of one type. `devices` is not 0.
struct DeviceClass {
  int devices = 0;
  double bytes = 0;  // memory of all of them together; infinity: no limit is known
};

// A colocation group, or a node that shares a device with no other.
struct StepUnit {
  std::vector<double> seconds;  // work by class; infinity where a node has no kernel for the type
  double bytes = 0;             // size of its variables, which stay where it is
  int rank = -1;                // rank that it is bound to; -1: it may be on any
};

// A value that a unit makes and others read. It is sent at most once to a device.
struct UnitValue {
  int from = 0;  // unit
  double bytes = 0;
  std::vector<int> readers;  // units
};

struct StepUnits {
  std::vector<DeviceClass> classes;
  std::vector<StepUnit> units;
  std::vector<UnitValue> values;
  std::vector<int> unit_of;                      // by task
  std::vector<double> fastest_s;                 // by task: on the fastest of the devices that it could be on
  std::function<std::string(int task)> name_of;  // may be empty
  // Bandwidths of all messages that leave a rank, and of all that come to it; 0: there are none.
  double leaving_bytes_per_s = 0;
  double entering_bytes_per_s = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_STEP_UNITS_H_
