// The loads of the devices under a placement, kept up to date while groups move.
//
// The load of an accelerator is the time of its nodes, the cost of each outside node whose output one of them reads,
// and the cost of each of its nodes whose output is read outside. The load of a CPU core is the time of its nodes.
// Thread safety: none.
#ifndef DFRUN_SRC_PLAN_DEVICE_LOADS_H_
#define DFRUN_SRC_PLAN_DEVICE_LOADS_H_

#include <vector>

#include "src/plan/placement_problem.h"

namespace dfrun {

class DeviceLoads {
 public:
  // The placement names devices below `devices`. The problem must outlive the object.
  DeviceLoads(const PlacementProblem& problem, const Placement& placement, int devices);

  // Moves a group to a device. Time: the degrees of its nodes, and the number of devices for each of them.
  void Move(int group, int device);
  // Places all groups anew, which also removes what rounding has gathered in the loads.
  void Reset(const Placement& placement);

  const PlacementProblem& problem() const { return *problem_; }
  const Placement& placement() const { return placement_; }
  int num_devices() const { return devices_; }
  int device(int group) const { return placement_[group]; }
  double load(int device) const { return loads_[device]; }
  double LargestLoad() const;
  double bytes(int device) const { return bytes_[device]; }
  // True if the bytes of the accelerator are within its memory; true for a CPU.
  bool Fits(int device) const;
  // The number of edges from nodes of one device to nodes of another.
  int edges(int from, int to) const { return edges_[from * devices_ + to]; }
  // The number of a node's successors on a device.
  int successors_on(int node, int device) const { return successors_on_[node * devices_ + device]; }
  // The nodes on CPUs, in no order.
  const std::vector<int>& cpu_nodes() const { return cpu_nodes_; }

 private:
  void MoveNode(int node, int from, int to);
  void MoveReads(int node, int from, int to);
  void MoveOutput(int node, int from, int to);
  void MoveInCpuNodes(int node, int to);
  void AddLoad(int device, double time) {
    if (problem_->is_accelerator(device)) loads_[device] += time;
  }

  const PlacementProblem* problem_;
  int devices_;
  Placement placement_;
  std::vector<int> node_device_;  // while a group moves, its nodes follow one after the other
  std::vector<double> loads_;
  std::vector<double> bytes_;
  std::vector<int> edges_;          // by from and to
  std::vector<int> successors_on_;  // by node and device
  std::vector<int> cpu_nodes_;
  std::vector<int> place_in_cpu_nodes_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_DEVICE_LOADS_H_
