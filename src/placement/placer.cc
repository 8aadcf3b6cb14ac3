#include "src/placement/placer.h"

#include <algorithm>
#include <map>
#include <utility>

#include "src/graph/colocation.h"
#include "src/placement/colocation_groups.h"
#include "src/placement/feasible_devices.h"
#include "src/placement/gathered_rows.h"
#include "src/placement/kernel_index.h"

namespace dfrun {
namespace {

constexpr int kNoDevice = -1;

// One call of PlaceGraph().
class Placer {
 public:
  Placer(const Graph& graph, const Cluster& cluster, KernelIndex& kernels, ColocationGroups groups, bool soft)
      : graph_(graph),
        cluster_(cluster),
        kernels_(kernels),
        feasible_(cluster, kernels),
        groups_(std::move(groups)),
        soft_(soft),
        types_(static_cast<size_t>(graph.num_nodes()), kernels.all()),
        holds_state_(types_.size(), false),
        device_(types_.size(), kNoDevice) {}

  // The index of each node's device in the cluster.
  Result<std::vector<int>> Run() {
    DF_TRY(Gather());
    DF_ASSIGN(const std::vector<NodeId> order, graph_.TopologicalOrder());
    std::vector<NodeId> sources;
    for (NodeId id : order) {
      const NodeId root = groups_.Root(id);
      if (device_[root] != kNoDevice) continue;
      if (IsFreeSource(id)) {
        sources.push_back(id);
        continue;
      }
      DF_TRY(Assign(id, Wish(graph_.node(id))));
    }
    const Consumers consumers = graph_.BuildConsumers();
    for (NodeId id : sources) DF_TRY(Assign(id, CommonDevice(consumers.of(id))));
    std::vector<int> devices;
    for (const Node& node : graph_.nodes()) devices.push_back(device_[groups_.Root(node.id)]);
    return devices;
  }

 private:
  // Gathers the properties of groups from their nodes, beside constraints.
  Status Gather() {
    for (const Node& node : graph_.nodes()) {
      const NodeId root = groups_.Root(node.id);
      types_[root] &= kernels_.TypesFor(node);
      if (node.op->name == "_Arg" || node.op->name == "_Retval") {
        DF_TRY(groups_.AddConstraint(node.id, cluster_.devices[0].name));
      } else if (node.op->is_stateful) {
        holds_state_[root] = true;
      }
    }
    return Status();
  }

  int Wish(const Node& node) const {
    if (!node.op->traits.follows_first_input && !GathersFewRows(graph_, node)) return kNoDevice;
    if (!node.inputs[0].valid() || holds_state_[groups_.Root(node.id)]) return kNoDevice;
    return device_[groups_.Root(node.inputs[0].node)];
  }

  bool IsFreeSource(NodeId id) const {
    const Node& node = graph_.node(id);
    return node.num_inputs() == 0 && node.control_inputs.empty() && !node.op->is_stateful &&
           groups_.Size(groups_.Root(id)) == 1;
  }

  // The device of all readers; kNoDevice where they have several, or are stateless nodes without inputs themselves.
  int CommonDevice(std::span<const Consumers::Edge> readers) const {
    int common = kNoDevice;
    for (const Consumers::Edge& edge : readers) {
      const int device = device_[groups_.Root(edge.node)];
      if (device == kNoDevice || (common != kNoDevice && common != device)) return kNoDevice;
      common = device;
    }
    return common;
  }

  Status Assign(NodeId id, int wish) {
    const NodeId root = groups_.Root(id);
    const DeviceName& written = groups_.Constraint(root);
    const std::vector<int>& feasible =
        feasible_.Of(soft_ ? feasible_.Loosened(written, types_[root]) : written, types_[root]);
    if (feasible.empty()) return WhyNone(id, root);
    const bool granted = std::binary_search(feasible.begin(), feasible.end(), wish);
    device_[root] = granted ? wish : feasible[0];
    return Status();
  }

  Status WhyNone(NodeId id, NodeId root) {
    const DeviceName& constraint = groups_.Constraint(root);
    DeviceTypes matching = 0;
    for (const ClusterDevice& device : cluster_.devices) {
      if (constraint.Matches(device.name)) matching |= feasible_.TypeBit(device.name);
    }
    if (matching == 0) {
      return InvalidArgument(graph_.Describe(id), " must be on '", constraint.ToString(),
                             "', but there is no such device; the devices are ", cluster_.ListDevices(),
                             cluster_.WhyNone(constraint));
    }
    for (const Node& node : graph_.nodes()) {
      if (groups_.Root(node.id) != root) continue;
      const DeviceTypes missing = matching & ~kernels_.TypesFor(node);
      if (missing == matching) return kernels_.WhyNot(node, missing).Annotate(graph_.Describe(node.id));
    }
    return NotFound(graph_.Describe(id), ": no type of device has kernels for all ", groups_.Size(root),
                    " nodes that must share its device");
  }

  const Graph& graph_;
  const Cluster& cluster_;
  KernelIndex& kernels_;
  FeasibleDevices feasible_;
  ColocationGroups groups_;
  const bool soft_;
  std::vector<DeviceTypes> types_;  // by group's root: the types with a kernel for every node of the group
  std::vector<bool> holds_state_;   // by group's root
  std::vector<int> device_;         // by group's root: index into cluster_.devices
};

// Returns, by root, the types with kernels for all nodes of the group that have any. Others are lowered before they are
// placed.
std::vector<DeviceTypes> TypesOfGroups(const Graph& graph, const ColocationGroups& groups, KernelIndex& kernels) {
  std::vector<DeviceTypes> types(static_cast<size_t>(graph.num_nodes()), kernels.all());
  for (const Node& node : graph.nodes()) {
    if (const DeviceTypes own = kernels.TypesFor(node); own != 0)
      types[static_cast<size_t>(groups.Root(node.id))] &= own;
  }
  return types;
}

// Returns, by root, the constraints as soft placement loosens them.
std::map<NodeId, std::string> LoosenedConstraints(const Graph& graph, const ColocationGroups& groups,
                                                  const SoftPlacement& soft) {
  KernelIndex kernels(soft.kernels, TypesOf(soft.cluster));
  FeasibleDevices feasible(soft.cluster, kernels);
  const std::vector<DeviceTypes> types = TypesOfGroups(graph, groups, kernels);
  std::map<NodeId, std::string> loosened;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (groups.Root(id) != id || groups.Size(id) == 1) continue;
    loosened[id] = feasible.Loosened(groups.Constraint(id), types[static_cast<size_t>(id)]).ToString();
  }
  return loosened;
}

void SetGroup(NodeId id, NodeId root, std::string device, Graph& graph) {
  Node& node = graph.mutable_node(id);
  node.device = std::move(device);
  node.colocate_with = id == root ? "" : graph.node(root).name;
  node.attrs.Erase(kClassAttr);
}

}  // namespace

Status SpreadConstraints(Graph& graph, const SoftPlacement* soft) {
  DF_ASSIGN(const ColocationGroups groups, ColocationGroups::Create(graph, soft != nullptr));
  std::map<NodeId, std::string> loosened;
  if (soft != nullptr) loosened = LoosenedConstraints(graph, groups, *soft);
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const NodeId root = groups.Root(id);
    if (groups.Size(root) == 1) continue;  // keeps its wish, by which participants of collectives are numbered
    SetGroup(id, root, soft != nullptr ? loosened.at(root) : groups.Constraint(root).ToString(), graph);
  }
  return Status();
}

Status LoosenConstraints(Graph& graph, const SoftPlacement& soft) {
  DF_ASSIGN(const ColocationGroups groups, ColocationGroups::Create(graph, true));
  const std::map<NodeId, std::string> loosened = LoosenedConstraints(graph, groups, soft);
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const NodeId root = groups.Root(id);
    const auto found = loosened.find(root);
    if (found == loosened.end() || found->second == groups.Constraint(root).ToString()) continue;
    SetGroup(id, root, found->second, graph);
  }
  return Status();
}

Status PlaceGraph(Graph& graph, const Cluster& cluster, const KernelRegistry& kernels, bool soft) {
  if (cluster.devices.empty()) return InvalidArgument("a graph cannot be placed on a cluster without devices");
  KernelIndex index(kernels, TypesOf(cluster));
  DF_ASSIGN(ColocationGroups groups, ColocationGroups::Create(graph, soft));
  DF_ASSIGN(const std::vector<int> devices, Placer(graph, cluster, index, std::move(groups), soft).Run());
  std::vector<std::string> names;
  for (const ClusterDevice& device : cluster.devices) names.push_back(device.name.ToString());
  for (NodeId id = 0; id < graph.num_nodes(); ++id) graph.mutable_node(id).device = names[devices[id]];
  return Status();
}

Status DropUnmatchedConstraints(Graph& graph, const Cluster& cluster) {
  const auto is_matched = [&](const DeviceName& constraint) {
    return std::any_of(cluster.devices.begin(), cluster.devices.end(),
                       [&](const ClusterDevice& device) { return constraint.Matches(device.name); });
  };
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    Node& node = graph.mutable_node(id);
    Result<DeviceName> constraint = DeviceName::Parse(node.device);
    if (!constraint.ok()) return constraint.status().Annotate(graph.Describe(id));
    if (is_matched(*constraint)) continue;
    const DeviceName rest = WithoutType(*constraint);
    node.device = is_matched(rest) ? rest.ToString() : "";
  }
  return Status();
}

}  // namespace dfrun
