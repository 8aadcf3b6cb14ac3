#include "src/placement/colocation_groups.h"

#include <algorithm>
#include <utility>

#include "src/graph/colocation.h"

namespace dfrun {
namespace {

bool IsStateOf(const TypedArg& arg) {
  return arg.is_ref || arg.dtype == DType::kResource;
}

bool MakesState(const Node& node) {
  return std::any_of(node.output_types.begin(), node.output_types.end(), IsStateOf) &&
         std::none_of(node.input_types.begin(), node.input_types.end(), IsStateOf);
}

bool IsColocatedByName(const Node& node) {
  return !node.colocate_with.empty() || !ColocationNames(node.attrs).empty();
}

}  // namespace

ColocationGroups::ColocationGroups(const Graph& graph)
    : graph_(graph),
      sets_(static_cast<size_t>(graph.num_nodes())),
      size_(static_cast<size_t>(graph.num_nodes()), 1),
      constraint_(size_.size()),
      constrained_by_(size_.size(), -1),
      makes_state_(size_.size(), false) {}

Status ColocationGroups::ReadDevices() {
  for (const Node& node : graph_.nodes()) {
    if (node.device.empty()) continue;
    Result<DeviceName> name = Parse(node.device);
    if (!name.ok()) return name.status().Annotate(graph_.Describe(node.id));
    if (IsColocatedByName(node)) {
      own_.emplace(node.id, *std::move(name));
      continue;
    }
    constraint_[node.id] = *std::move(name);
    constrained_by_[node.id] = node.id;
    makes_state_[node.id] = MakesState(node);
  }
  return Status();
}

// Two roots become one.
Status ColocationGroups::Unite(NodeId a, NodeId b, DeviceName constraint, NodeId by) {
  if (size_[a] < size_[b]) std::swap(a, b);
  sets_.Unite(a, b);
  size_[a] += size_[b];
  makes_state_[a] = makes_state_[a] || makes_state_[b];
  constraint_[a] = std::move(constraint);
  constrained_by_[a] = by;
  return Status();
}

Status ColocationGroups::UniteByName(bool soft) {
  for (const Node& node : graph_.nodes()) {
    if (!node.colocate_with.empty()) DF_TRY(UniteWith(node, node.colocate_with, soft));
    for (std::string_view name : ColocationNames(node.attrs)) DF_TRY(UniteWith(node, name, soft));
  }
  return Status();
}

Status ColocationGroups::UniteWith(const Node& node, std::string_view name, bool soft) {
  const NodeId with = graph_.Find(name);
  if (with < 0) {
    return InvalidArgument(graph_.Describe(node.id), " is colocated with '", name, "', but there is no such node");
  }
  const NodeId a = Root(node.id);
  const NodeId b = Root(with);
  if (a == b) return Status();
  Result<DeviceName> both = constraint_[b].Merge(constraint_[a]);
  if (!both.ok()) return soft ? Status() : Conflict(constrained_by_[a], constraint_[a], b);
  return Unite(a, b, *std::move(both), constrained_by_[b] >= 0 ? constrained_by_[b] : constrained_by_[a]);
}

// The constraint of a node that is colocated by name counts where the others leave the device open.
void ColocationGroups::AddOwnDevices() {
  for (const Node& node : graph_.nodes()) {
    const auto own = own_.find(node.id);
    if (own == own_.end()) continue;
    const NodeId root = Root(node.id);
    Result<DeviceName> both = constraint_[root].Merge(own->second);
    if (!both.ok()) continue;
    constraint_[root] = *std::move(both);
    if (constrained_by_[root] < 0) constrained_by_[root] = node.id;
  }
}

Status ColocationGroups::UniteByState(bool soft) {
  for (const Node& node : graph_.nodes()) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (!node.inputs[i].valid()) continue;
      if (IsStateOf(node.input_types[i])) DF_TRY(FollowMaker(node.id, node.inputs[i].node, soft));
    }
  }
  return Status();
}

// A variant is a value, which TensorFlow copies to the device of its reader. Here the reader is placed where the
// variant is.
Status ColocationGroups::UniteByVariants(bool soft) {
  for (const Node& node : graph_.nodes()) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      const bool binds = node.input_types[i].dtype == DType::kVariant;
      if (binds && node.inputs[i].valid()) DF_TRY(FollowMaker(node.id, node.inputs[i].node, soft));
    }
  }
  return Status();
}

// Unites the reader's group with the maker's. Where the two constraints exclude each other, that of the reader is
// dropped, unless the reader holds state and the maker holds none. `soft`: it is also dropped where both hold state.
Status ColocationGroups::FollowMaker(NodeId reader, NodeId maker, bool soft) {
  reader = Root(reader);
  maker = Root(maker);
  if (reader == maker) return Status();
  Result<DeviceName> both = constraint_[maker].Merge(constraint_[reader]);
  if (both.ok()) {
    const NodeId by = constrained_by_[maker] >= 0 ? constrained_by_[maker] : constrained_by_[reader];
    return Unite(maker, reader, *std::move(both), by);
  }
  const bool both_make = makes_state_[reader] && makes_state_[maker];
  if (both_make && !soft) return Conflict(constrained_by_[reader], constraint_[reader], maker);
  const NodeId stays = makes_state_[reader] && !both_make ? reader : maker;
  return Unite(maker, reader, DeviceName(constraint_[stays]), constrained_by_[stays]);
}

Status ColocationGroups::Conflict(NodeId node, const DeviceName& name, NodeId root) const {
  return InvalidArgument(graph_.Describe(node), " must be on '", name.ToString(), "', but it shares its device with ",
                         graph_.Describe(constrained_by_[root]), ", and their group must be on '",
                         constraint_[root].ToString(), "' (a group is joined by colocate_with and by variables)");
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
  if (!merged.ok()) return Conflict(node, name, root);
  constraint_[root] = *std::move(merged);
  if (constrained_by_[root] < 0) constrained_by_[root] = node;
  return Status();
}

Result<ColocationGroups> ColocationGroups::Create(const Graph& graph, bool soft) {
  ColocationGroups groups(graph);
  DF_TRY(groups.ReadDevices());
  DF_TRY(groups.UniteByName(soft));
  groups.AddOwnDevices();
  DF_TRY(groups.UniteByState(soft));
  DF_TRY(groups.UniteByVariants(soft));
  return groups;
}

}  // namespace dfrun
