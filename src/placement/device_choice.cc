#include "src/placement/device_choice.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "src/framework/device/device_factory.h"
#include "src/framework/device/device_speed.h"
#include "src/framework/device/graph_capture.h"
#include "src/graph/control_flow.h"
#include "src/graph/node_cost.h"
#include "src/graph/order/ancestors.h"
#include "src/placement/colocation_groups.h"
#include "src/placement/gathered_rows.h"

namespace dfrun {
namespace {

// The devices of a rank among which work may choose.
struct Site {
  std::string type;                  // type of the devices that are not the host's
  std::vector<std::string> devices;  // devices of this type
};

bool MayBeChosen(const ClusterDevice& device) {
  return *device.name.type != HostDeviceType() && SpeedOf(*device.name.type).has_value();
}

// Finds the sites by rank; a rank without a device that may be chosen has none. Where a rank has several types of them,
// the first in the cluster's order counts.
std::map<int, Site> FindSites(const Cluster& cluster) {
  std::map<int, Site> sites;
  for (const ClusterDevice& device : cluster.devices) {
    if (!MayBeChosen(device)) continue;
    Site& site = sites[device.rank];
    if (site.devices.empty()) site.type = *device.name.type;
    if (site.type == *device.name.type) site.devices.push_back(device.name.ToString());
  }
  return sites;
}

// Whether the node is an input's, whose samples threads of the host read, wherever the node is.
bool IsInput(const Node& node) {
  return node.op->traits.portable.kind == PortableForm::Kind::kPlaceholders;
}

bool IsIndexOrTruth(DType dtype) {
  return dtype == DType::kInt32 || dtype == DType::kInt64 || dtype == DType::kBool;
}

// One call of ChooseDevices().
class Choice {
 public:
  Choice(Graph& graph, const Cluster& cluster, const KernelRegistry& kernels, ColocationGroups groups,
         const ChoiceOptions& options)
      : graph_(graph),
        cluster_(cluster),
        kernels_(kernels),
        groups_(std::move(groups)),
        options_(options),
        sites_(FindSites(cluster)),
        site_(static_cast<size_t>(graph.num_nodes()), kNone),
        defs_(site_.size(), nullptr) {}

  Status Run() {
    for (const Node& node : graph_.nodes()) site_[Index(node.id)] = SiteFor(groups_.Root(node.id));
    for (const Node& node : graph_.nodes()) LeaveOut(node);
    DF_TRY(LeaveOutReadByHost());
    CountWork();
    DF_TRY(ReadSpread());
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      const int rank = SiteOf(id);
      if (rank == kNone || !IsOpen(id) || gain_[rank] <= 0) continue;
      graph_.mutable_node(id).device = DeviceOf(id, sites_.at(rank));
    }
    return Status();
  }

 private:
  static constexpr int kNone = -1;

  static size_t Index(NodeId id) { return static_cast<size_t>(id); }
  // The rank at whose site the node's group may be computed on a device of another type than the host's.
  int SiteOf(NodeId id) const { return site_[Index(groups_.Root(id))]; }

  // The site of the first rank that the group's constraint allows, if the constraint leaves the type open or asks for
  // the site's.
  int SiteFor(NodeId root) const {
    const DeviceName& constraint = groups_.Constraint(root);
    for (const ClusterDevice& device : cluster_.devices) {
      if (!constraint.Matches(device.name)) continue;
      const auto site = sites_.find(device.rank);
      const bool is_there = site != sites_.end() && (!constraint.type || constraint.type == site->second.type);
      return is_there ? device.rank : kNone;
    }
    return kNone;
  }
  // Nodes that are bound to the site's type count in its work and stay where they are.
  bool IsOpen(NodeId id) const { return !groups_.Constraint(groups_.Root(id)).type; }

  // Takes the choice from the group of a node that stays with the host, or goes where its readers are.
  void LeaveOut(const Node& node) {
    const NodeId root = groups_.Root(node.id);
    if (site_[Index(root)] == kNone) return;
    const Result<const KernelDef*> def = kernels_.Find(node.op->name, sites_.at(site_[Index(root)]).type, node.attrs);
    if (def.ok()) defs_[Index(node.id)] = *def;
    const bool is_source = node.num_inputs() == 0 && !node.op->is_stateful && groups_.Size(root) == 1;
    if (!IsOpen(node.id)) return;
    const bool is_small = IsInput(node) && BytesOfOutputs(node) <= static_cast<double>(kMaxBytesInOrder);
    if (!def.ok() || is_source || is_small || (node.op->is_stateful && !options_.with_state)) {
      site_[Index(root)] = kNone;
    }
  }

  double BytesOfOutputs(const Node& node) const {
    double bytes = 0;
    for (int32_t port = 0; port < node.num_outputs(); ++port) {
      bytes += static_cast<double>(std::max<int64_t>(BytesOf(graph_, {node.id, port}), 0));
    }
    return bytes;
  }

  bool IsReadInHostMemory(const Node& reader, int input) const {
    if (SiteOf(reader.id) == kNone || defs_[Index(reader.id)] == nullptr) return true;
    NodeInfo info{reader.name, reader.op, reader.input_types, reader.output_types};
    return SetHostArgs(defs_[Index(reader.id)], reader.attrs, info).ok() &&
           info.inputs[static_cast<size_t>(input)].in_host;
  }

  bool IsReadByHostAlone(const Node& node, const Consumers& consumers) const {
    if (node.num_outputs() == 0 || groups_.Size(groups_.Root(node.id)) > 1) return false;
    for (const TypedArg& output : node.output_types) {
      if (!IsIndexOrTruth(output.dtype)) return false;
    }
    bool is_read = false;
    for (const Consumers::Edge& edge : consumers.of(node.id)) {
      if (edge.input < 0) continue;
      if (!IsReadInHostMemory(graph_.node(edge.node), edge.input)) return false;
      is_read = true;
    }
    return is_read;
  }

  bool IsInputOfHost(const Node& node, const Consumers& consumers) const {
    const auto edges = consumers.of(node.id);
    return IsInput(node) && std::any_of(edges.begin(), edges.end(), [&](const Consumers::Edge& edge) {
             return edge.input >= 0 && IsReadInHostMemory(graph_.node(edge.node), edge.input);
           });
  }

  // Leaves nodes with the host that the host alone reads, beginning with the last readers: a node that only such nodes
  // read is one too.
  Status LeaveOutReadByHost() {
    DF_ASSIGN(const std::vector<NodeId> order, graph_.TopologicalOrder());
    const Consumers consumers = graph_.BuildConsumers();
    for (size_t i = order.size(); i-- > 0;) {
      if (SiteOf(order[i]) == kNone || !IsOpen(order[i])) continue;
      const Node& node = graph_.node(order[i]);
      if (IsReadByHostAlone(node, consumers) || IsInputOfHost(node, consumers)) site_[Index(order[i])] = kNone;
    }
    return Status();
  }

  // Counts, by rank, the seconds that a step is shorter by.
  void CountWork() {
    AncestorWalk step(graph_);
    for (NodeId id : options_.step) step.Add(id);
    while (const Node* node = step.Next()) step.AddSources(*node);
    const DeviceSpeed host = *SpeedOf(HostDeviceType());
    for (const auto& [rank, site] : sites_) gain_[rank] = -SpeedOf(site.type)->step_seconds;
    for (const Node& node : graph_.nodes()) {
      const int rank = SiteOf(node.id);
      if (rank == kNone || (!options_.step.empty() && !step.added()[Index(node.id)])) continue;
      const DeviceSpeed speed = *SpeedOf(sites_.at(rank).type);
      if (IsInput(node)) {
        gain_[rank] -= BytesOfOutputs(node) / speed.link_bytes;
        continue;
      }
      const std::optional<OpCost> cost = NodeCost(graph_, node);
      gain_[rank] += NodeSeconds(cost, host) - NodeSeconds(cost, speed) - BytesFromHost(node) / speed.link_bytes;
    }
  }

  double BytesFromHost(const Node& node) const {
    double bytes = 0;
    for (const Output input : node.inputs) {
      const bool comes = input.valid() && SiteOf(input.node) == kNone && graph_.node(input.node).num_inputs() > 0;
      if (comes) bytes += static_cast<double>(std::max<int64_t>(BytesOf(graph_, input), 0));
    }
    return bytes;
  }

  // The first node of a group that has the attr says on which of the devices the group is.
  Status ReadSpread() {
    for (const Node& node : graph_.nodes()) {
      const NodeId root = groups_.Root(node.id);
      if (site_[Index(root)] == kNone || !node.attrs.Has(kSpreadAttr)) continue;
      DF_ASSIGN(const int64_t spread, node.attrs.Get<int64_t>(kSpreadAttr));
      spread_.emplace(root, static_cast<size_t>(spread));
    }
    return Status();
  }

  const std::string& DeviceOf(NodeId id, const Site& site) const {
    const auto spread = spread_.find(groups_.Root(id));
    return site.devices[spread == spread_.end() ? 0 : spread->second % site.devices.size()];
  }

  Graph& graph_;
  const Cluster& cluster_;
  const KernelRegistry& kernels_;
  const ColocationGroups groups_;
  const ChoiceOptions& options_;
  const std::map<int, Site> sites_;     // by rank
  std::vector<int> site_;               // by group's root: the rank; kNone: nothing to choose
  std::vector<const KernelDef*> defs_;  // by node: at its site
  std::map<int, double> gain_;          // by rank
  std::map<NodeId, size_t> spread_;     // by group's root
};

}  // namespace

std::set<int> RanksWithChoice(const Cluster& cluster) {
  std::set<int> ranks;
  for (const ClusterDevice& device : cluster.devices) {
    if (MayBeChosen(device)) ranks.insert(device.rank);
  }
  return ranks;
}

Status ChooseDevices(Graph& graph, const Cluster& cluster, const KernelRegistry& kernels,
                     const ChoiceOptions& options) {
  if (RanksWithChoice(cluster).empty() || HasControlFlow(graph)) return Status();
  DF_ASSIGN(ColocationGroups groups, ColocationGroups::Create(graph, options.soft));
  return Choice(graph, cluster, kernels, std::move(groups), options).Run();
}

}  // namespace dfrun
