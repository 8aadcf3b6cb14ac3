// Groups of nodes that must share a device, and the constraint on that device: constraints 1 and 2 of placer.h.
#ifndef DFRUN_SRC_PLACEMENT_COLOCATION_GROUPS_H_
#define DFRUN_SRC_PLACEMENT_COLOCATION_GROUPS_H_

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/base/disjoint_sets.h"
#include "src/framework/device/device.h"
#include "src/graph/graph.h"

namespace dfrun {

// Sets of nodes by union-find. Each group is known by one of its nodes, its root.
class ColocationGroups {
 public:
  // Unites colocated nodes and gathers their constraints. InvalidArgument where the constraints of nodes that are
  // colocated by name, or of nodes with state that share a reader, exclude each other. `soft`: such a colocation by
  // name is ignored, and so is the constraint of such a reader.
  static Result<ColocationGroups> Create(const Graph& graph, bool soft = false);

  NodeId Root(NodeId node) const { return sets_.Root(node); }
  int Size(NodeId root) const { return size_[root]; }
  const DeviceName& Constraint(NodeId root) const { return constraint_[root]; }
  // Adds a constraint to the node's group.
  Status AddConstraint(NodeId node, const DeviceName& name);

 private:
  explicit ColocationGroups(const Graph& graph);

  Status ReadDevices();
  Status UniteByName(bool soft);
  void AddOwnDevices();
  Status UniteByState(bool soft);
  Status UniteByVariants(bool soft);
  Status FollowMaker(NodeId reader, NodeId maker, bool soft);
  Status UniteWith(const Node& node, std::string_view name, bool soft);
  Status Unite(NodeId a, NodeId b, DeviceName constraint, NodeId by);
  Status Conflict(NodeId node, const DeviceName& name, NodeId root) const;
  Result<DeviceName> Parse(const std::string& device);

  const Graph& graph_;
  DisjointSets sets_;
  std::vector<int> size_;                       // by root
  std::vector<DeviceName> constraint_;          // by root
  std::vector<NodeId> constrained_by_;          // by root: the first node whose constraint counts, -1: none
  std::vector<bool> makes_state_;               // by root: true if a node that makes state has a constraint
  std::unordered_map<NodeId, DeviceName> own_;  // the constraints of nodes that are colocated by name
  std::unordered_map<std::string, DeviceName> parsed_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLACEMENT_COLOCATION_GROUPS_H_
