// A rank's report of its devices: the master places nodes by it, and the user reads it.
#ifndef DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_REPORT_H_
#define DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_REPORT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/framework/device/device_memory.h"

namespace dfrun {

struct DeviceReport {
  std::string type;
  int index = 0;                 // among the rank's devices of the type
  int64_t memory_bytes = 0;      // 0: not known
  bool has_own_memory = false;   // its memory is not reachable from the host
  std::string description = {};  // a model, a driver: for people
  DeviceMemory memory = {};      // set after a step that is asked to report it
};

struct DevicesReport {
  std::vector<DeviceReport> devices;            // the host's type first, each type's by index
  std::map<std::string, std::string> why_none;  // by registered type of which there is none
  // The hardware, drivers and libraries of the host that are not used or are slow, each with its remedy.
  std::vector<std::string> warnings = {};
};

// The number of devices that each rank has, by type, where no rank is there to report.
using DeviceCounts = std::map<std::string, int>;

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_REPORT_H_
