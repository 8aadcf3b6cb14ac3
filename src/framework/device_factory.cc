#include "src/framework/device_factory.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace dfrun {
namespace {

using Entry = std::pair<std::string, DeviceFactory>;

std::vector<Entry>& Factories() {
  static std::vector<Entry>& factories = *new std::vector<Entry>();
  return factories;
}

}  // namespace

Result<DeviceList> MakeDevices(const DeviceName& task) {
  DeviceList all;
  for (const auto& [type, make] : Factories()) {
    DF_ASSIGN(DeviceList made, make(task));
    std::move(made.begin(), made.end(), std::back_inserter(all));
  }
  std::stable_partition(all.begin(), all.end(), [](const auto& device) { return device->type() == "cpu"; });
  if (all.empty() || all[0]->type() != "cpu") {
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
