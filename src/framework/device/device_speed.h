// Rough speeds of the devices of a type, good enough to tell where work pays.
#ifndef DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_SPEED_H_
#define DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_SPEED_H_

#include <optional>
#include <string_view>

namespace dfrun {

struct DeviceSpeed {
  double flops;         // a second
  double bytes;         // bytes of its memory that are read or written, a second
  double node_seconds;  // overhead of a node, whatever it does
  // Set for a device with memory of its own.
  double link_bytes;    // from the host or to it, a second
  double step_seconds;  // overhead of a step that uses the device, whatever it does
};

// Looks up the type in the table of types (device_types.cc); nothing for other types.
std::optional<DeviceSpeed> SpeedOf(std::string_view type);

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_SPEED_H_
