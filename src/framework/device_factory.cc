#include "src/framework/device_factory.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace dfrun {
namespace {

// The one list of words: in the order in which devices are preferred where nothing else decides.
constexpr std::string_view kTypes[] = {"cpu", "gpu"};

using Entry = std::pair<std::string, DeviceFactory>;

std::vector<Entry>& Factories() {
  static std::vector<Entry>& factories = *new std::vector<Entry>();
  return factories;
}

bool IsRegistered(std::string_view type) {
  return std::any_of(Factories().begin(), Factories().end(), [&](const Entry& entry) { return entry.first == type; });
}

bool IsInTable(std::string_view type) {
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

}  // namespace

std::string_view HostDeviceType() {
  return kTypes[0];
}

std::vector<std::string> KnownDeviceTypes() {
  std::vector<std::string> types(std::begin(kTypes), std::end(kTypes));
  for (const auto& [type, make] : Factories()) {
    if (!IsInTable(type)) types.push_back(type);
  }
  return types;
}

std::vector<std::string> RegisteredDeviceTypes() {
  std::vector<std::string> types = KnownDeviceTypes();
  std::erase_if(types, [](const std::string& type) { return !IsRegistered(type); });
  return types;
}

bool IsDeviceType(std::string_view word) {
  return IsInTable(word) || IsRegistered(word);
}

Result<DeviceList> MakeDevices(const DeviceName& task) {
  DeviceList all;
  for (const auto& [type, make] : Factories()) {
    DF_ASSIGN(DeviceList made, make(task));
    std::move(made.begin(), made.end(), std::back_inserter(all));
  }
  const auto is_host = [](const auto& device) { return device->type() == HostDeviceType(); };
  std::stable_partition(all.begin(), all.end(), is_host);
  if (all.empty() || !is_host(all[0])) {
    return FailedPrecondition("task ", task.ToString(), " has no CPU device: this build registers no factory for one");
  }
  return all;
}

namespace internal {
DeviceRegistration::DeviceRegistration(std::string_view type, DeviceFactory make) {
  Factories().emplace_back(std::string(type), make);
}
}  // namespace internal

}  // namespace dfrun
