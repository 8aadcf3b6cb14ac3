// Names of devices, and constraints on them.
#ifndef DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_NAME_H_
#define DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_NAME_H_

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/status.h"

namespace dfrun {

// The name of a device, "/job:worker/task:17/device:gpu:3", or a part of it as a constraint: "/job:ps",
// "/device:gpu:*", "/task:1". Parse() also reads "/replica:0" (ignored), "/cpu:0", "/gpu:1" (any known type,
// device_types.h) and "/device:CPU:0" (types are lower-cased).
struct DeviceName {
  std::optional<std::string> job;
  std::optional<int> task;
  std::optional<std::string> type;  // a word that a device factory may have registered
  std::optional<int> index;

  // Parses a name; "" constrains nothing. InvalidArgument names the part that cannot be read.
  static Result<DeviceName> Parse(std::string_view text);
  std::string ToString() const;
  // Returns true where all four parts are set: the name of one device.
  bool IsFull() const { return job && task && type && index; }
  // Returns true where `device`, a full name, fits this constraint.
  bool Matches(const DeviceName& device) const;
  // Returns both constraints at once; InvalidArgument where they contradict each other.
  Result<DeviceName> Merge(const DeviceName& other) const;
  bool operator==(const DeviceName&) const = default;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_NAME_H_
