// The words for types of devices: those that a device factory registers (device_factory.h), and a few that a spec may
// name where no such device is built in. Of the latter there is one table (device_types.cc), whose first type is the
// host's.
//
// Thread safety: registration ends before main(); all functions may then be called from any thread.
#ifndef DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_TYPES_H_
#define DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_TYPES_H_

#include <string>
#include <string_view>
#include <vector>

namespace dfrun {

// The type of the devices that compute in host memory and hold feeds and fetches.
std::string_view HostDeviceType();
// The registered types, the host's first.
std::vector<std::string> RegisteredDeviceTypes();
// Returns all types that a spec may name, the table's first.
std::vector<std::string> KnownDeviceTypes();
bool IsDeviceType(std::string_view word);
bool IsRegisteredDeviceType(std::string_view word);

// The word by which specs and command lines count a rank's devices of a type: "gpus". Of those of the host there is
// one.
std::string DeviceCountKey(std::string_view type);
// The types that may be counted.
std::vector<std::string> CountedDeviceTypes();
// The word by which specs bound the memory of devices of such a type: "gpu_memory"; of the host's: "memory".
std::string DeviceMemoryKey(std::string_view type);
constexpr int kMaxDevicesOfType = 1024;  // the largest count that a spec may give

namespace internal {
// Registers a type, which has a factory.
void AddDeviceType(std::string_view type);
}  // namespace internal

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_TYPES_H_
