#include "src/job/step_devices.h"

#include <algorithm>
#include <set>

namespace dfrun {

std::vector<std::string> DevicesOf(const Session& session, std::span<const Session::Handle> steps) {
  std::vector<std::string> devices;
  for (const Session::Handle step : steps) {
    for (const std::string& device : session.devices(step)) {
      if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(device);
    }
  }
  return devices;
}

std::vector<int> IdleRanksOf(const Session& session, std::span<const Session::Handle> steps) {
  std::vector<int> idle = session.idle_ranks(steps[0]);
  for (const Session::Handle step : steps) {
    const std::vector<int>& of_this = session.idle_ranks(step);
    std::erase_if(idle, [&](int rank) { return std::find(of_this.begin(), of_this.end(), rank) == of_this.end(); });
  }
  return idle;
}

bool AreAllHosts(const std::vector<std::string>& devices, const std::vector<DevicesReport>& reports) {
  std::set<std::string> used;
  for (const std::string& name : devices) {
    if (const Result<DeviceName> device = DeviceName::Parse(name); device.ok()) used.insert(*device->type);
  }
  for (const DevicesReport& report : reports) {
    for (const DeviceReport& device : report.devices) {
      if (device.has_own_memory && used.contains(device.type)) return false;
    }
  }
  return true;
}

}  // namespace dfrun
