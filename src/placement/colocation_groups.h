// Nodes that must share a device, and what constrains that device. Constraints 1 to 3 of placer.h.
#ifndef DFRUN_SRC_PLACEMENT_COLOCATION_GROUPS_H_
#define DFRUN_SRC_PLACEMENT_COLOCATION_GROUPS_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "src/framework/device.h"
#include "src/graph/graph.h"
#include "src/placement/kernel_index.h"

namespace dfrun {

// Sets of nodes by union-find. Each group is known by one of its nodes, its root.
class ColocationGroups {
 public:
  // Unites what is colocated and gathers the constraints. `boundary`: where _Arg and _Retval go.
  static Result<ColocationGroups> Create(const Graph& graph, KernelIndex& kernels, const DeviceName& boundary);

  NodeId Root(NodeId node) const;
  int Size(NodeId root) const { return size_[root]; }
  const DeviceName& Constraint(NodeId root) const { return constraint_[root]; }
  // Types of devices that have a kernel for every node of the group.
  DeviceTypes Types(NodeId root) const { return types_[root]; }

 private:
  explicit ColocationGroups(const Graph& graph);

  Status UniteAll();
  void Unite(NodeId a, NodeId b);
  Status AddConstraint(NodeId node, const DeviceName& name);
  Result<DeviceName> Parse(const std::string& device);

  const Graph& graph_;
  mutable std::vector<NodeId> parent_;
  std::vector<int> size_;               // by root
  std::vector<DeviceName> constraint_;  // by root
  std::vector<NodeId> constrained_by_;  // by root: the first node whose constraint counts, -1: none
  std::vector<DeviceTypes> types_;      // by root
  std::unordered_map<std::string, DeviceName> parsed_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLACEMENT_COLOCATION_GROUPS_H_
