#include "src/training/rank_devices.h"

#include <algorithm>

namespace dfrun {

Result<int> RankOf(const Cluster& cluster, const std::string& constraint) {
  DF_ASSIGN(const DeviceName name, DeviceName::Parse(constraint));
  for (const ClusterDevice& device : cluster.devices) {
    if (name.Matches(device.name)) return device.rank;
  }
  return cluster.devices[0].rank;
}

std::string CpuOf(const Cluster& cluster, int rank) {
  const auto& devices = cluster.devices;
  const auto found = std::find_if(devices.begin(), devices.end(), [&](const auto& d) { return d.rank == rank; });
  return found->name.ToString();
}

Result<std::string> HostOf(const Cluster& cluster, const std::string& device) {
  DF_ASSIGN(const int rank, RankOf(cluster, device));
  return CpuOf(cluster, rank);
}

}  // namespace dfrun
