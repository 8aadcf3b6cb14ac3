// Nodes that must share a device, and what constrains that device. Constraints 1 and 2 of placer.h.
#ifndef DFRUN_SRC_PLACEMENT_COLOCATION_GROUPS_H_
#define DFRUN_SRC_PLACEMENT_COLOCATION_GROUPS_H_

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/framework/device.h"
#include "src/graph/graph.h"

namespace dfrun {

// Sets of nodes by union-find. Each group is known by one of its nodes, its root.
class ColocationGroups {
 public:
  // Unites what is colocated and gathers the nodes' constraints. InvalidArgument where those of nodes that share state,
  // or are colocated by name, exclude each other.
  static Result<ColocationGroups> Create(const Graph& graph);

  NodeId Root(NodeId node) const;
  int Size(NodeId root) const { return size_[root]; }
  const DeviceName& Constraint(NodeId root) const { return constraint_[root]; }
  // A further constraint of the node's group.
  Status AddConstraint(NodeId node, const DeviceName& name);

 private:
  explicit ColocationGroups(const Graph& graph);

  Status UniteByState();
  void UniteByVariants();
  void FollowMaker(NodeId reader, NodeId maker);
  Status UniteWith(const Node& node, std::string_view name);
  void Unite(NodeId a, NodeId b);
  Result<DeviceName> Parse(const std::string& device);

  const Graph& graph_;
  mutable std::vector<NodeId> parent_;
  std::vector<int> size_;               // by root
  std::vector<DeviceName> constraint_;  // by root
  std::vector<NodeId> constrained_by_;  // by root: the first node whose constraint counts, -1: none
  std::unordered_map<std::string, DeviceName> parsed_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLACEMENT_COLOCATION_GROUPS_H_
