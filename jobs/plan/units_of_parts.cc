#include "jobs/plan/units_of_parts.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

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

// Sets of tasks by union-find.
class TaskSets {
 public:
  explicit TaskSets(size_t tasks) : parent_(tasks) { std::iota(parent_.begin(), parent_.end(), 0); }
  int Root(int task) {
    while (parent_[task] != task) task = parent_[task] = parent_[parent_[task]];
    return task;
  }
  void Unite(int a, int b) { parent_[Root(a)] = Root(b); }

 private:
  std::vector<int> parent_;
};

class UnitMaker {
 public:
  UnitMaker(const std::vector<const Partition*>& partitions, const std::vector<std::vector<double>>& seconds,
            const BoundRanks& bound, bool is_compressed)
      : partitions_(partitions),
        seconds_(seconds),
        bound_(bound),
        is_compressed_(is_compressed),
        sets_(seconds.size()) {}

  StepUnits Run() {
    int first = 0;
    for (const Partition* const partition : partitions_) {
      Unite(partition->graph, first);
      first += partition->graph.num_nodes();
    }
    first = 0;
    for (const Partition* const partition : partitions_) {
      for (const Node& node : partition->graph.nodes()) AddToUnit(node, first + node.id);
      first += partition->graph.num_nodes();
    }
    first = 0;
    for (const Partition* const partition : partitions_) {
      AddValues(partition->graph, first);
      first += partition->graph.num_nodes();
    }
    AddChannels();
    return std::move(made_);
  }

 private:
  void Unite(const Graph& graph, int first) {
    std::unordered_map<std::string_view, int> groups;
    for (const Node& node : graph.nodes()) {
      const int task = first + node.id;
      const std::string_view head = node.colocate_with.empty() ? node.name : node.colocate_with;
      const auto [group, is_new] = groups.try_emplace(head, task);
      if (!is_new) sets_.Unite(task, group->second);
      // Steps of several replicas have the variables that they share in common.
      if (!node.op->traits.is_variable) continue;
      const auto [variable, is_first] = variables_.try_emplace(node.name, task);
      if (!is_first) sets_.Unite(task, variable->second);
    }
    for (const Node& node : graph.nodes()) {
      const int task = first + node.id;
      for (int i = 0; i < node.num_inputs(); ++i) {
        const Output input = node.inputs[static_cast<size_t>(i)];
        if (input.valid() && SharesDeviceWithSource(node, i)) sets_.Unite(task, first + input.node);
      }
    }
  }

  void AddToUnit(const Node& node, int task) {
    const auto [number, is_new] = numbers_.try_emplace(sets_.Root(task), static_cast<int>(made_.units.size()));
    if (is_new) made_.units.push_back({.seconds = std::vector<double>(seconds_[task].size(), 0)});
    StepUnit& unit = made_.units[number->second];
    for (size_t i = 0; i < unit.seconds.size(); ++i) unit.seconds[i] += seconds_[task][i];
    const auto variable = variables_.find(node.name);
    if (variable != variables_.end() && variable->second == task) unit.bytes += VariableBytes(node);
    const auto rank = bound_.find(NameInModel(node.name));
    if (rank != bound_.end()) unit.rank = rank->second;
    made_.unit_of.push_back(number->second);
    made_.names.push_back(node.name);
  }

  void AddValues(const Graph& graph, int first) {
    const Consumers consumers = graph.BuildConsumers();
    for (const Node& node : graph.nodes()) {
      const int unit = made_.unit_of[first + node.id];
      if (const auto channel = ChannelOf(node, Boundary::kSend)) sends_[*channel] = unit;
      if (const auto channel = ChannelOf(node, Boundary::kRecv)) receives_.emplace_back(*channel, unit);
      for (int32_t port = 0; port < node.num_outputs(); ++port) {
        UnitValue value{.from = unit, .bytes = BytesOnWay(graph, {node.id, port}), .readers = {}};
        for (const Consumers::Edge& edge : consumers.of(node.id)) {
          const int reader = made_.unit_of[first + edge.node];
          if (edge.port == port && reader != unit) value.readers.push_back(reader);
        }
        if (value.bytes > 0 && !value.readers.empty()) made_.values.push_back(std::move(value));
      }
    }
  }

  // A constant is copied to where it is read.
  double BytesOnWay(const Graph& graph, Output output) const {
    const Node& node = graph.node(output.node);
    const bool is_constant = node.inputs.empty() && !node.op->is_stateful && !node.op->traits.is_variable;
    if (is_constant) return 0;
    const auto bytes = static_cast<double>(std::max<int64_t>(BytesOf(graph, output), 0));
    return is_compressed_ || IsMarkedCompressed(node) ? bytes / 2 : bytes;
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

  const std::vector<const Partition*>& partitions_;
  const std::vector<std::vector<double>>& seconds_;
  const BoundRanks& bound_;
  const bool is_compressed_;
  TaskSets sets_;
  std::unordered_map<std::string_view, int> variables_;  // first task by name
  std::unordered_map<int, int> numbers_;                 // unit by root
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
  const AttrValue* const channel = node.attrs.Find("channel");
  const int64_t* const number = channel == nullptr ? nullptr : channel->get<int64_t>();
  return number == nullptr ? std::nullopt : std::optional(*number);
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

StepUnits UnitsOfParts(const std::vector<const Partition*>& partitions, const Cluster& cluster, const CostTable& costs,
                       int ranks_per_node, const std::vector<std::vector<double>>& seconds,
                       const StepBinding& binding) {
  StepUnits units = UnitMaker(partitions, seconds, binding.ranks, binding.is_compressed).Run();
  for (const std::string& type : TypesOf(cluster)) units.classes.push_back(ClassOf(cluster, type));
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
