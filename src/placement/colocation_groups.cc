#include "src/placement/colocation_groups.h"

#include <numeric>
#include <utility>

#include "src/graph/colocation.h"

namespace dfrun {

ColocationGroups::ColocationGroups(const Graph& graph)
    : graph_(graph),
      parent_(static_cast<size_t>(graph.num_nodes())),
      size_(parent_.size(), 1),
      constraint_(parent_.size()),
      constrained_by_(parent_.size(), -1) {
  std::iota(parent_.begin(), parent_.end(), 0);
}

NodeId ColocationGroups::Root(NodeId node) const {
  while (parent_[node] != node) {
    parent_[node] = parent_[parent_[node]];  // halves the path for the next walk
    node = parent_[node];
  }
  return node;
}

void ColocationGroups::Unite(NodeId a, NodeId b) {
  a = Root(a);
  b = Root(b);
  if (a == b) return;
  if (size_[a] < size_[b]) std::swap(a, b);
  parent_[b] = a;
  size_[a] += size_[b];
}

Status ColocationGroups::UniteByState() {
  for (const Node& node : graph_.nodes()) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      const bool binds = node.input_types[i].is_ref || node.input_types[i].dtype == DType::kResource;
      if (binds && node.inputs[i].valid()) Unite(node.id, node.inputs[i].node);
    }
    if (!node.colocate_with.empty()) DF_TRY(UniteWith(node, node.colocate_with));
    for (std::string_view name : ColocationNames(node.attrs)) DF_TRY(UniteWith(node, name));
  }
  return Status();
}

// A variant is a value, which TensorFlow copies to the device of its reader. Here its reader goes where it is.
void ColocationGroups::UniteByVariants() {
  for (const Node& node : graph_.nodes()) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      const bool binds = node.input_types[i].dtype == DType::kVariant;
      if (binds && node.inputs[i].valid()) FollowMaker(node.id, node.inputs[i].node);
    }
  }
}

void ColocationGroups::FollowMaker(NodeId reader, NodeId maker) {
  reader = Root(reader);
  maker = Root(maker);
  if (reader == maker) return;
  Result<DeviceName> both = constraint_[maker].Merge(constraint_[reader]);
  DeviceName constraint = both.ok() ? *std::move(both) : constraint_[maker];
  const NodeId by = constrained_by_[maker] >= 0 ? constrained_by_[maker] : constrained_by_[reader];
  Unite(maker, reader);
  const NodeId root = Root(maker);
  constraint_[root] = std::move(constraint);
  constrained_by_[root] = by;
}

Status ColocationGroups::UniteWith(const Node& node, std::string_view name) {
  const NodeId with = graph_.Find(name);
  if (with < 0) {
    return InvalidArgument(graph_.Describe(node.id), " is colocated with '", name, "', but there is no such node");
  }
  Unite(node.id, with);
  return Status();
}

Result<DeviceName> ColocationGroups::Parse(const std::string& device) {
  auto it = parsed_.find(device);
  if (it != parsed_.end()) return it->second;
  DF_ASSIGN(const DeviceName name, DeviceName::Parse(device));
  parsed_.emplace(device, name);
  return name;
}

Status ColocationGroups::AddConstraint(NodeId node, const DeviceName& name) {
  const NodeId root = Root(node);
  Result<DeviceName> merged = constraint_[root].Merge(name);
  if (!merged.ok()) {
    return InvalidArgument(graph_.Describe(node), " must be on '", name.ToString(), "', but it shares its device with ",
                           graph_.Describe(constrained_by_[root]), ", and their group must be on '",
                           constraint_[root].ToString(), "' (a group is joined by colocate_with and by variables)");
  }
  constraint_[root] = *std::move(merged);
  if (constrained_by_[root] < 0) constrained_by_[root] = node;
  return Status();
}

Result<ColocationGroups> ColocationGroups::Create(const Graph& graph) {
  ColocationGroups groups(graph);
  DF_TRY(groups.UniteByState());
  for (const Node& node : graph.nodes()) {
    if (node.device.empty()) continue;
    Result<DeviceName> name = groups.Parse(node.device);
    if (!name.ok()) return name.status().Annotate(graph.Describe(node.id));
    DF_TRY(groups.AddConstraint(node.id, *name));
  }
  groups.UniteByVariants();
  return groups;
}

}  // namespace dfrun
