#include "src/framework/device/device_factory.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "src/base/registry.h"
#include "src/framework/device/device_speed.h"

namespace dfrun {
namespace {

// The one list of words: in the order in which devices are preferred where nothing else decides.
constexpr std::string_view kTypes[] = {"cpu", "gpu"};
// Speeds by type: a few CPU cores whose data are in no cache; a GPU of some years, whose nodes are enqueued one by one.
constexpr DeviceSpeed kSpeeds[] = {
    {.flops = 5e10, .bytes = 1e10, .node_seconds = 5e-8, .link_bytes = 0, .step_seconds = 0},
    {.flops = 2e13, .bytes = 1.5e12, .node_seconds = 3e-6, .link_bytes = 2e10, .step_seconds = 2e-5},
};
static_assert(std::size(kTypes) == std::size(kSpeeds));

Registry<DeviceFactory>& Factories() {
  static Registry<DeviceFactory>& factories = *new Registry<DeviceFactory>();
  return factories;
}

bool IsInTable(std::string_view type) {
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
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

std::optional<DeviceSpeed> SpeedOf(std::string_view type) {
  const auto* const at = std::find(std::begin(kTypes), std::end(kTypes), type);
  if (at == std::end(kTypes)) return {};
  return kSpeeds[at - std::begin(kTypes)];
}

std::string_view HostDeviceType() {
  return kTypes[0];
}

std::vector<std::string> KnownDeviceTypes() {
  std::vector<std::string> types(std::begin(kTypes), std::end(kTypes));
  for (const auto& [type, find] : Factories().all()) {
    if (!IsInTable(type)) types.push_back(type);
  }
  return types;
}

std::vector<std::string> RegisteredDeviceTypes() {
  std::vector<std::string> types = KnownDeviceTypes();
  std::erase_if(types, [](const std::string& type) { return !IsRegisteredDeviceType(type); });
  return types;
}

bool IsRegisteredDeviceType(std::string_view word) {
  return Factories().Find(word) != nullptr;
}

bool IsDeviceType(std::string_view word) {
  return IsInTable(word) || IsRegisteredDeviceType(word);
}

std::string DeviceCountKey(std::string_view type) {
  return StrCat(type, "s");
}

std::string DeviceMemoryKey(std::string_view type) {
  return StrCat(type, "_memory");
}

std::vector<std::string> CountedDeviceTypes() {
  std::vector<std::string> types = KnownDeviceTypes();
  types.erase(types.begin());
  return types;
}

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
}
}  // namespace internal

}  // namespace dfrun
