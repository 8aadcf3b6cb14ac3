#include "jobs/plan/units_of_parts.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "jobs/plan/replica_nodes.h"
#include "src/base/disjoint_sets.h"
#include "src/base/text.h"
#include "src/graph/order/has_refs.h"
#include "src/graph/wire_compression.h"
#include "src/placement/feasible_devices.h"
#include "src/placement/gathered_rows.h"

namespace dfrun::jobs {
namespace {

constexpr std::string_view kReplica = "replica_";

// "h1/W" for "replica_3/h1/W".
std::string_view NameInModel(std::string_view name) {
  if (!name.starts_with(kReplica)) return name;
  const size_t slash = name.find('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

bool SharesDeviceWithSource(const Node& node, int input) {
  const TypedArg& type = node.input_types[static_cast<size_t>(input)];
  return type.is_ref || type.dtype == DType::kResource || type.dtype == DType::kVariant;
}

double VariableBytes(const Node& node) {
  const Result<DType> dtype = node.attrs.Get<DType>("dtype");
  const Result<PartialShape> shape = node.attrs.Get<PartialShape>("shape");
  if (!node.op->traits.is_variable || !dtype.ok() || !shape.ok() || !shape->IsFullyDefined() || !IsPlain(*dtype))
    return 0;
  return static_cast<double>(shape->num_elements()) * static_cast<double>(DTypeSize(*dtype));
}

// A value of a partition, with those of its nodes that read it.
struct PartValue {
  NodeId from;
  double bytes;
  std::vector<NodeId> readers;
};

// The nodes of a partition as units see them, wherever it is.
struct PartUnits {
  std::vector<std::pair<NodeId, NodeId>> together;  // nodes that share a device
  std::vector<std::pair<NodeId, int>> ranks;        // nodes that are bound to one
  std::vector<const Node*> variables;
  std::vector<PartValue> values;
  std::vector<std::pair<const Node*, int64_t>> sends;  // with their channels
  std::vector<std::pair<const Node*, int64_t>> receives;
};

class UnitMaker {
 public:
  UnitMaker(const std::vector<PlannedPart>& parts, size_t types, std::span<const double> seconds,
            const StepBinding& binding)
      : parts_(parts),
        types_(types),
        seconds_(seconds),
        binding_(binding),
        sets_(seconds.size() / types),
        number_of_(seconds.size() / types, kNone) {
    // Without nodes on two ranks no bytes must be sent.
    std::set<int> ranks;
    for (const auto& [node, rank] : binding.ranks) ranks.insert(rank);
    has_values_ = ranks.size() > 1;
  }

  StepUnits Run() {
    ForEachPart([&](const PlannedPart& part, int first) { Unite(part, first); });
    for (size_t task = 0; task < number_of_.size(); ++task) AddToUnit(static_cast<int>(task));
    for (const auto& [name, variable] : variables_) UnitOf(variable.task).bytes += VariableBytes(*variable.node);
    ForEachPart([&](const PlannedPart& part, int first) {
      for (const auto& [node, rank] : units_.at(part.partition).ranks) UnitOf(first + node).rank = rank;
      if (has_values_) AddValues(part, first);
    });
    AddChannels();
    made_.name_of = [&parts = parts_](int task) { return NameOf(parts, task); };
    return std::move(made_);
  }

 private:
  static constexpr int kNone = -1;
  struct Variable {
    const Node* node;
    int task;
  };

  void Unite(int a, int b) { sets_.Unite(sets_.Root(b), sets_.Root(a)); }

  // Calls visit(part, its first task).
  template <class Visit>
  void ForEachPart(Visit visit) {
    int first = 0;
    for (const PlannedPart& part : parts_) {
      visit(part, first);
      first += part.graph().num_nodes();
    }
  }

  static std::string NameOf(const std::vector<PlannedPart>& parts, int task) {
    for (const PlannedPart& part : parts) {
      if (task < part.graph().num_nodes()) return part.NameOf(part.graph().node(task));
      task -= part.graph().num_nodes();
    }
    return "";
  }

  StepUnit& UnitOf(int task) { return made_.units[static_cast<size_t>(made_.unit_of[static_cast<size_t>(task)])]; }

  void Unite(const PlannedPart& part, int first) {
    const auto [found, is_new] = units_.try_emplace(part.partition);
    if (is_new) found->second = UnitsOf(part.graph());
    for (const auto& [a, b] : found->second.together) Unite(first + a, first + b);
    for (const Node* const node : found->second.variables) {
      // Steps of several replicas have the variables that they share in common.
      const auto [variable, is_first] = variables_.try_emplace(part.NameOf(*node), Variable{node, first + node->id});
      if (!is_first) Unite(first + node->id, variable->second.task);
    }
  }

  PartUnits UnitsOf(const Graph& graph) const {
    PartUnits units;
    std::unordered_map<std::string_view, NodeId> groups;
    for (const Node& node : graph.nodes()) {
      const std::string_view head = node.colocate_with.empty() ? node.name : node.colocate_with;
      const auto [group, is_new] = groups.try_emplace(head, node.id);
      if (!is_new) units.together.emplace_back(node.id, group->second);
      if (node.op->traits.is_variable) units.variables.push_back(&node);
    }
    for (const Node& node : graph.nodes()) {
      for (int i = 0; i < node.num_inputs(); ++i) {
        const Output input = node.inputs[static_cast<size_t>(i)];
        if (input.valid() && SharesDeviceWithSource(node, i)) units.together.emplace_back(node.id, input.node);
      }
    }
    if (binding_.ranks.empty()) return units;
    for (const Node& node : graph.nodes()) {
      const auto rank = binding_.ranks.find(NameInModel(node.name));
      if (rank != binding_.ranks.end()) units.ranks.emplace_back(node.id, rank->second);
    }
    if (has_values_) FindValues(graph, units);
    return units;
  }

  void AddToUnit(int task) {
    int& number = number_of_[static_cast<size_t>(sets_.Root(task))];
    const auto first = seconds_.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(task) * types_);
    if (number == kNone) {
      number = static_cast<int>(made_.units.size());
      made_.units.push_back({.seconds = std::vector<double>(types_, 0)});
    }
    std::vector<double>& seconds = made_.units[static_cast<size_t>(number)].seconds;
    for (size_t i = 0; i < types_; ++i) seconds[i] += first[static_cast<std::ptrdiff_t>(i)];
    made_.unit_of.push_back(number);
  }

  void FindValues(const Graph& graph, PartUnits& units) const {
    const Consumers consumers = graph.BuildConsumers();
    for (const Node& node : graph.nodes()) {
      if (const auto channel = ChannelOf(node, Boundary::kSend)) units.sends.emplace_back(&node, *channel);
      if (const auto channel = ChannelOf(node, Boundary::kRecv)) units.receives.emplace_back(&node, *channel);
      for (int32_t port = 0; port < node.num_outputs(); ++port) {
        PartValue value{.from = node.id, .bytes = BytesOnWay(graph, {node.id, port}), .readers = {}};
        if (value.bytes <= 0) continue;
        for (const Consumers::Edge& edge : consumers.of(node.id)) {
          if (edge.port == port) value.readers.push_back(edge.node);
        }
        if (!value.readers.empty()) units.values.push_back(std::move(value));
      }
    }
  }

  void AddValues(const PlannedPart& part, int first) {
    const PartUnits& units = units_.at(part.partition);
    const auto unit_of = [&](NodeId node) {
      return made_.unit_of[static_cast<size_t>(first) + static_cast<size_t>(node)];
    };
    for (const auto& [node, channel] : units.sends) sends_[part.ChannelOf(*node, channel)] = unit_of(node->id);
    for (const auto& [node, channel] : units.receives)
      receives_.emplace_back(part.ChannelOf(*node, channel), unit_of(node->id));
    for (const PartValue& of_part : units.values) {
      UnitValue value{.from = unit_of(of_part.from), .bytes = of_part.bytes, .readers = {}};
      for (const NodeId reader : of_part.readers) {
        if (unit_of(reader) != value.from) value.readers.push_back(unit_of(reader));
      }
      if (!value.readers.empty()) made_.values.push_back(std::move(value));
    }
  }

  // A constant is copied to where it is read.
  double BytesOnWay(const Graph& graph, Output output) const {
    const Node& node = graph.node(output.node);
    const bool is_constant = node.inputs.empty() && !node.op->is_stateful && !node.op->traits.is_variable;
    if (is_constant) return 0;
    const auto bytes = static_cast<double>(std::max<int64_t>(BytesOf(graph, output), 0));
    return binding_.is_compressed || IsMarkedCompressed(node) ? bytes / 2 : bytes;
  }

  // A Recv gives the value that the Send has taken, on whichever rank they are.
  void AddChannels() {
    for (const auto& [channel, receiver] : receives_) {
      const auto send = sends_.find(channel);
      if (send == sends_.end()) continue;
      made_.values.push_back(
          {.from = send->second, .bytes = std::numeric_limits<double>::max(), .readers = {receiver}});
    }
  }

  const std::vector<PlannedPart>& parts_;
  const size_t types_;
  const std::span<const double> seconds_;
  const StepBinding& binding_;
  bool has_values_;
  DisjointSets sets_;  // sets of tasks
  std::unordered_map<const Partition*, PartUnits> units_;
  std::unordered_map<std::string, Variable> variables_;  // the first of each name
  std::vector<int> number_of_;                           // unit by root
  std::unordered_map<int64_t, int> sends_;
  std::vector<std::pair<int64_t, int>> receives_;
  StepUnits made_;
};

// Infinity where the memory of one of them is not known.
DeviceClass ClassOf(const Cluster& cluster, const std::string& type) {
  DeviceClass all;
  for (const ClusterDevice& device : cluster.devices) {
    if (*device.name.type != type) continue;
    ++all.devices;
    all.bytes +=
        device.memory_bytes > 0 ? static_cast<double>(device.memory_bytes) : std::numeric_limits<double>::infinity();
  }
  return all;
}

}  // namespace

std::optional<int64_t> ChannelOf(const Node& node, Boundary kind) {
  if (node.op->traits.boundary != kind) return {};
  const int64_t channel = NumberOfChannel(node);
  return channel < 0 ? std::nullopt : std::optional(channel);
}

BoundRanks RanksThatNodesName(const Graph& model, const Cluster& cluster) {
  BoundRanks ranks;
  std::unordered_map<std::string, std::optional<int>> known;  // by constraint
  for (const Node& node : model.nodes()) {
    if (node.device.empty()) continue;
    const auto [found, is_new] = known.try_emplace(node.device);
    if (is_new) {
      const Result<DeviceName> constraint = DeviceName::Parse(node.device);
      std::set<int> matching;
      for (const ClusterDevice& device : cluster.devices) {
        if (constraint.ok() && constraint->Matches(device.name)) matching.insert(device.rank);
      }
      if (matching.size() == 1) found->second = *matching.begin();
    }
    if (found->second) ranks.emplace(node.name, *found->second);
  }
  return ranks;
}

StepUnits UnitsOfParts(const std::vector<PlannedPart>& parts, const Cluster& cluster, const CostTable& costs,
                       int ranks_per_node, std::span<const double> seconds, const StepBinding& binding) {
  const std::vector<std::string> types = TypesOf(cluster);
  StepUnits units = UnitMaker(parts, types.size(), seconds, binding).Run();
  for (const std::string& type : types) units.classes.push_back(ClassOf(cluster, type));
  const double ranks = cluster.devices.back().rank + 1;
  const double on_host = std::min<double>(ranks_per_node, ranks);
  const double host_bytes_per_s = costs.Pair(PairClass::kSameHost).bytes_per_s;
  const double network_bytes_per_s = costs.Pair(PairClass::kNetwork).bytes_per_s;
  // Each rank of the host may copy a value of this one while it sends another; a message may come from another host
  // while this one copies.
  units.leaving_bytes_per_s = (on_host - 1) * host_bytes_per_s + (ranks > on_host ? network_bytes_per_s : 0);
  units.entering_bytes_per_s = (on_host > 1 ? host_bytes_per_s : 0) + (ranks > on_host ? network_bytes_per_s : 0);
  return units;
}

}  // namespace dfrun::jobs
