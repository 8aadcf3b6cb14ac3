// How a rank comes by its devices: each device type registers one function that makes them, so that src/ knows no
// hardware.
//
//   DEVICE_FACTORY("cpu", &MakeCpuDevices);
//
// The types that a spec may name are those that are registered and the few of one table (device_factory.cc), which a
// spec may name where no such device is built in. The table's first is that of the host.
//
// Thread safety: registration ends before main(); MakeDevices() may then be called from any thread.
#ifndef DFRUN_SRC_FRAMEWORK_DEVICE_FACTORY_H_
#define DFRUN_SRC_FRAMEWORK_DEVICE_FACTORY_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/framework/device.h"

namespace dfrun {

using DeviceList = std::vector<std::unique_ptr<Device>>;

// The devices of one type that the task `task` ("/job:worker/task:3") has on this host; none where there is no such
// hardware. Called once a rank; a process may hold several ranks.
using DeviceFactory = Result<DeviceList> (*)(const DeviceName& task);

// The devices of every registered type, those of the host first. An error where there is none of the host.
Result<DeviceList> MakeDevices(const DeviceName& task);

// The type of the devices that compute in host memory and hold feeds and fetches.
std::string_view HostDeviceType();
// The registered types, the host's first.
std::vector<std::string> RegisteredDeviceTypes();
// All types that a spec may name, the table's first.
std::vector<std::string> KnownDeviceTypes();
bool IsDeviceType(std::string_view word);

namespace internal {
struct DeviceRegistration {
  DeviceRegistration(std::string_view type, DeviceFactory make);
};
}  // namespace internal

#define DEVICE_FACTORY(type, make) \
  [[maybe_unused]] static const ::dfrun::internal::DeviceRegistration DF_CONCAT(df_device_, __COUNTER__)(type, make)

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_DEVICE_FACTORY_H_
