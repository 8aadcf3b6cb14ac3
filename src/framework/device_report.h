// What a rank tells of its devices: to the master, which places nodes by it, and to the user.
#ifndef DFRUN_SRC_FRAMEWORK_DEVICE_REPORT_H_
#define DFRUN_SRC_FRAMEWORK_DEVICE_REPORT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/framework/device_memory.h"

namespace dfrun {

struct DeviceReport {
  std::string type;
  int index = 0;                 // among the rank's devices of the type
  int64_t memory_bytes = 0;      // 0: not known
  bool has_own_memory = false;   // that the host does not reach
  std::string description = {};  // a model, a driver: for people
  DeviceMemory memory = {};      // what a step that is asked to tell it has left
};

struct DevicesReport {
  std::vector<DeviceReport> devices;            // those of the host's type first, each type's by index
  std::map<std::string, std::string> why_none;  // by registered type of which there is none
  // What of the host's hardware, drivers and libraries is not used or is slow, each with what mends it.
  std::vector<std::string> warnings = {};
};

// By type: how many devices each rank has, where no rank is there to report.
using DeviceCounts = std::map<std::string, int>;

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_DEVICE_REPORT_H_
