#include "src/placement/feasible_devices.h"

#include <algorithm>

namespace dfrun {

std::vector<std::string> TypesOf(const Cluster& cluster) {
  std::vector<std::string> types;
  for (const ClusterDevice& device : cluster.devices) {
    if (std::find(types.begin(), types.end(), *device.name.type) == types.end()) types.push_back(*device.name.type);
  }
  return types;
}

DeviceName WithoutType(DeviceName name) {
  name.type.reset();
  name.index.reset();
  return name;
}

DeviceTypes FeasibleDevices::TypeBit(const DeviceName& name) const {
  const auto& types = kernels_.types();
  return DeviceTypes{1} << (std::find(types.begin(), types.end(), *name.type) - types.begin());
}

const std::vector<int>& FeasibleDevices::Of(const DeviceName& constraint, DeviceTypes types) {
  auto [it, is_new] = found_.try_emplace({constraint.ToString(), types});
  if (is_new) {
    for (size_t i = 0; i < cluster_.devices.size(); ++i) {
      const DeviceName& name = cluster_.devices[i].name;
      if (constraint.Matches(name) && (types & TypeBit(name)) != 0) it->second.push_back(static_cast<int>(i));
    }
  }
  return it->second;
}

DeviceName FeasibleDevices::Loosened(const DeviceName& constraint, DeviceTypes types) {
  if (!Of(constraint, types).empty()) return constraint;
  DeviceName rest = WithoutType(constraint);
  return Of(rest, types).empty() ? DeviceName() : rest;
}

}  // namespace dfrun
