// The devices of a cluster on which a group of nodes may be placed.
#ifndef DFRUN_SRC_PLACEMENT_FEASIBLE_DEVICES_H_
#define DFRUN_SRC_PLACEMENT_FEASIBLE_DEVICES_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/framework/device/device.h"
#include "src/placement/cluster.h"
#include "src/placement/kernel_index.h"

namespace dfrun {

// The devices of one cluster that can run nodes, by one kernel index; both must outlive the object.
// Thread safety: one thread.
class FeasibleDevices {
 public:
  FeasibleDevices(const Cluster& cluster, const KernelIndex& kernels) : cluster_(cluster), kernels_(kernels) {}

  // The indices of the devices of these types that match the constraint, in the cluster's order.
  const std::vector<int>& Of(const DeviceName& constraint, DeviceTypes types);
  // The loosened form of a constraint that leaves no device, for soft placement: it loses type and index, then all of
  // its parts.
  DeviceName Loosened(const DeviceName& constraint, DeviceTypes types);
  DeviceTypes TypeBit(const DeviceName& name) const;

 private:
  const Cluster& cluster_;
  const KernelIndex& kernels_;
  std::map<std::pair<std::string, DeviceTypes>, std::vector<int>> found_;
};

// The types of a cluster's devices, each once.
std::vector<std::string> TypesOf(const Cluster& cluster);

// The constraint without type and index.
DeviceName WithoutType(DeviceName name);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLACEMENT_FEASIBLE_DEVICES_H_
