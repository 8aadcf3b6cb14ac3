// Devices and their names.
#ifndef DFRUN_SRC_FRAMEWORK_DEVICE_H_
#define DFRUN_SRC_FRAMEWORK_DEVICE_H_

#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/status.h"
#include "src/base/threads.h"
#include "src/framework/allocator.h"
#include "src/framework/resource.h"

namespace dfrun {

// "/job:worker/task:17/device:gpu:3", or a part of it as a constraint: "/job:ps", "/device:gpu:*", "/task:1".
// Also read: "/replica:0" (ignored), "/cpu:0", "/gpu:1", "/device:CPU:0" (types are lower-cased).
struct DeviceName {
  std::optional<std::string> job;
  std::optional<int> task;
  std::optional<std::string> type;  // "cpu", "gpu"
  std::optional<int> index;

  // InvalidArgument with the part that cannot be read. "" constrains nothing.
  static Result<DeviceName> Parse(std::string_view text);
  std::string ToString() const;
  // True where all four parts are set: the name of one device.
  bool IsFull() const { return job && task && type && index; }
  // True where `device`, a full name, fits this constraint.
  bool Matches(const DeviceName& device) const;
  // Both constraints at once; InvalidArgument where they contradict each other.
  Result<DeviceName> Merge(const DeviceName& other) const;
  bool operator==(const DeviceName&) const = default;
};

// One device of this rank. Thread safety: all methods from any thread. Outlives plans, kernels and tensors on it.
class Device {
 public:
  Device(DeviceName name, Allocator& allocator)
      : name_(std::move(name)), text_(name_.ToString()), allocator_(allocator) {}
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceName& name() const { return name_; }
  const std::string& full_name() const { return text_; }
  const std::string& type() const { return *name_.type; }
  Allocator& allocator() { return allocator_; }
  // What outlives steps on this device: variables, readers, queues.
  ResourceContainers& containers() { return containers_; }

 private:
  const DeviceName name_;
  const std::string text_;
  Allocator& allocator_;
  ResourceContainers containers_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_DEVICE_H_
