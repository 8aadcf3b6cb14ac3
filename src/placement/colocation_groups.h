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
  // Unites what is colocated and gathers the nodes' constraints. InvalidArgument where those of nodes that are
  // colocated by name, or of variables and the like that share a reader, exclude each other; `soft`: a colocation by
  // name that does not go together does not count.
  static Result<ColocationGroups> Create(const Graph& graph, bool soft = false);

  NodeId Root(NodeId node) const;
  int Size(NodeId root) const { return size_[root]; }
  const DeviceName& Constraint(NodeId root) const { return constraint_[root]; }
  // A further constraint of the node's group.
  Status AddConstraint(NodeId node, const DeviceName& name);

 private:
  explicit ColocationGroups(const Graph& graph);

  Status ReadDevices();
  Status UniteByName(bool soft);
  void AddOwnDevices();
  Status UniteByState();
  Status UniteByVariants();
  Status FollowMaker(NodeId reader, NodeId maker);
  Status UniteWith(const Node& node, std::string_view name, bool soft);
  Status Unite(NodeId a, NodeId b, DeviceName constraint, NodeId by);
  Status Conflict(NodeId node, const DeviceName& name, NodeId root) const;
  Result<DeviceName> Parse(const std::string& device);

  const Graph& graph_;
  mutable std::vector<NodeId> parent_;
  std::vector<int> size_;                       // by root
  std::vector<DeviceName> constraint_;          // by root
  std::vector<NodeId> constrained_by_;          // by root: the first node whose constraint counts, -1: none
  std::vector<bool> makes_state_;               // by root: a node that makes a variable or the like, and says where
  std::unordered_map<NodeId, DeviceName> own_;  // what nodes say that are colocated by name
  std::unordered_map<std::string, DeviceName> parsed_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLACEMENT_COLOCATION_GROUPS_H_
