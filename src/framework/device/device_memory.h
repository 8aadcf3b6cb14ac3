// The use of a device's memory by tensors.
#ifndef DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_MEMORY_H_
#define DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_MEMORY_H_

#include <cstdint>
#include <string>

namespace dfrun {

class Device;

struct DeviceMemory {
  std::string device;  // full name
  int64_t in_use_bytes = 0;
  int64_t peak_bytes = 0;      // the most that were in use at a time
  int64_t reserved_bytes = 0;  // taken from the system, or from the device
  int64_t limit_bytes = 0;     // 0: none
};

// Returns the current use. Thread safety: any thread.
DeviceMemory MemoryOf(Device& device);

// A JSON object with these members.
std::string ToJson(const DeviceMemory& memory);

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_MEMORY_H_
