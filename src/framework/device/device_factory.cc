#include "src/framework/device/device_factory.h"

#include <iterator>
#include <string>
#include <utility>

#include "src/base/registry.h"

namespace dfrun {
namespace {

Registry<DeviceFactory>& Factories() {
  static Registry<DeviceFactory>& factories = *new Registry<DeviceFactory>();
  return factories;
}

// A device is found in messages, plans and traces by its name.
Status CheckName(const DeviceName& name, const DeviceName& task, const std::string& type, size_t index) {
  DeviceName wanted = task;
  wanted.type = type;
  wanted.index = static_cast<int>(index);
  if (name == wanted) return Status();
  return Internal("the factory of the device type '", type, "' made ", name.ToString(), " where ", wanted.ToString(),
                  " is next");
}

// A limit that nothing keeps to would be found out where memory runs short.
Status CheckLimit(const std::string& type, Device& device, const DeviceSite& site) {
  if (!site.memory_limits.contains(type)) return Status();
  const auto* const memory = dynamic_cast<const LimitedMemory*>(&device.allocator());
  if (memory != nullptr && memory->limit_bytes() > 0) return Status();
  return FailedPrecondition("the memory of ", device.full_name(), " cannot be limited: leave out '",
                            DeviceMemoryKey(type), "' of the cluster");
}

Status AddDevices(const std::string& type, DeviceFactory find, const DeviceSite& site, TaskDevices& all) {
  DF_ASSIGN(FoundDevices found, find(site));
  if (found.devices.empty()) all.report.why_none.emplace(type, std::move(found.why_none));
  std::move(found.warnings.begin(), found.warnings.end(), std::back_inserter(all.report.warnings));
  for (size_t i = 0; i < found.devices.size(); ++i) {
    FoundDevices::Found& entry = found.devices[i];
    DF_TRY(CheckName(entry.device->name(), site.task, type, i));
    DF_TRY(CheckLimit(type, *entry.device, site));
    all.report.devices.push_back({.type = type,
                                  .index = static_cast<int>(i),
                                  .memory_bytes = entry.memory_bytes,
                                  .has_own_memory = entry.device->has_own_memory(),
                                  .description = std::move(entry.description)});
    all.devices.push_back(std::move(entry.device));
  }
  return Status();
}

}  // namespace

Result<TaskDevices> FindDevices(const DeviceSite& site) {
  TaskDevices all;
  for (const std::string& type : RegisteredDeviceTypes()) {
    DF_TRY(AddDevices(type, *Factories().Find(type), site, all));
  }
  if (all.devices.empty() || all.devices[0]->type() != HostDeviceType()) {
    return FailedPrecondition("task ", site.task.ToString(),
                              " has no CPU device: this build registers no factory for one");
  }
  return all;
}

Result<DeviceList> MakeDevices(const DeviceName& task) {
  DF_ASSIGN(TaskDevices all, FindDevices({.task = task}));
  return std::move(all.devices);
}

namespace internal {
DeviceRegistration::DeviceRegistration(std::string_view type, DeviceFactory find) {
  Factories().Add(std::string(type), find);
  AddDeviceType(type);
}
}  // namespace internal

}  // namespace dfrun
