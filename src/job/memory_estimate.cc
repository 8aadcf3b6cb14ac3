#include "src/job/memory_estimate.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "src/base/units.h"
#include "src/framework/device/device_factory.h"

namespace dfrun {
namespace {

int64_t BytesOf(DType dtype, const PartialShape& shape) {
  if (!shape.IsFullyDefined() || !IsPlain(dtype)) return 0;
  return shape.num_elements() * static_cast<int64_t>(DTypeSize(dtype));
}

// A variable's name with type and size, and its bytes: both are read from its attrs, so references and handles do not
// differ.
struct Held {
  std::string text;
  int64_t bytes = 0;
};

Held HeldBy(const Node& variable) {
  const Result<DType> dtype = variable.attrs.Get<DType>("dtype");
  const Result<PartialShape> shape = variable.attrs.Get<PartialShape>("shape");
  if (!dtype.ok() || !shape.ok()) return {};
  const int64_t bytes = BytesOf(*dtype, *shape);
  return {StrCat("'", variable.name, "' (", *dtype, *shape, ", ", bytes, " bytes)"), bytes};
}

// The values of a step that are there at a time, its nodes run in an order that edges allow.
class LiveValues {
 public:
  explicit LiveValues(const Graph& graph) : graph_(graph) {}

  int64_t Peak() {
    const Result<std::vector<NodeId>> order = graph_.TopologicalOrder();
    if (!order.ok()) return 0;  // a loop: its values are not known before the run
    for (const NodeId id : *order) Make(graph_.node(id));
    for (const Node& node : graph_.nodes()) {
      for (const Output input : node.inputs) ++readers_[Root(input)];
    }
    for (const NodeId id : *order) Run(graph_.node(id));
    return peak_;
  }

 private:
  using Key = std::pair<NodeId, int32_t>;

  // The output that owns the bytes of this one.
  Key Root(Output output) const {
    const auto root = roots_.find({output.node, output.port});
    return root == roots_.end() ? Key{output.node, output.port} : root->second;
  }

  void Make(const Node& node) {
    if (node.op->traits.passthrough == Passthrough::kNone) return;
    for (int32_t port = 0; port < node.num_outputs(); ++port) {
      const int input = node.op->traits.passthrough == Passthrough::kFirstInput ? 0 : port;
      if (input < node.num_inputs()) roots_[{node.id, port}] = Root(node.inputs[static_cast<size_t>(input)]);
    }
  }

  void Run(const Node& node) {
    for (int32_t port = 0; port < node.num_outputs(); ++port) {
      const Output output{node.id, port};
      if (Root(output) == Key{node.id, port}) live_ += Bytes(output);
    }
    peak_ = std::max(peak_, live_);
    for (const Output input : node.inputs) {
      const Key root = Root(input);
      if (--readers_[root] == 0) live_ -= Bytes({root.first, root.second});
    }
    for (int32_t port = 0; port < node.num_outputs(); ++port) {
      const Output output{node.id, port};
      if (Root(output) == Key{node.id, port} && !readers_.contains({node.id, port})) live_ -= Bytes(output);
    }
  }

  int64_t Bytes(Output output) const {
    return graph_.is_ref(output) ? 0 : BytesOf(graph_.dtype(output), graph_.shape(output));
  }

  const Graph& graph_;
  std::map<Key, Key> roots_;    // for outputs that share the bytes of another
  std::map<Key, int> readers_;  // number of readers that have not run
  int64_t live_ = 0;
  int64_t peak_ = 0;
};

// Returns the limits of devices by name; 0: a device has none, or none that is known here.
std::unordered_map<std::string, int64_t> LimitsOf(const MemoryLimits& limits, const Cluster& cluster) {
  std::unordered_map<std::string, int64_t> of_devices;
  for (const ClusterDevice& device : cluster.devices) {
    const auto limit = limits.find(*device.name.type);
    if (limit != limits.end()) of_devices[device.name.ToString()] = limit->second.BytesOf(device.memory_bytes);
  }
  return of_devices;
}

std::string KeyOf(const std::string& device) {
  const Result<DeviceName> name = DeviceName::Parse(device);
  return name.ok() ? DeviceMemoryKey(*name->type) : "";
}

}  // namespace

MemoryEstimate EstimateMemory(const std::vector<DevicePart>& parts) {
  MemoryEstimate estimate;
  std::map<std::string, Held> variables;
  int64_t beside_bytes = 0;
  for (const DevicePart& part : parts) {
    const Graph& graph = part.partition->graph;
    estimate.device = part.partition->device;
    for (const Node& node : graph.nodes()) {
      if (node.op->traits.is_variable) variables[node.name] = HeldBy(node);
    }
    const int64_t peak = LiveValues(graph).Peak();
    estimate.step_bytes = std::max(estimate.step_bytes, peak);
    if (part.runs_beside) beside_bytes += peak;
  }
  estimate.step_bytes = std::max(estimate.step_bytes, beside_bytes);
  int64_t most = 0;
  for (const auto& [name, held] : variables) {
    estimate.state_bytes += held.bytes;
    if (held.bytes <= most) continue;
    most = held.bytes;
    estimate.largest = held.text;
  }
  return estimate;
}

std::vector<MemoryEstimate> EstimateDevices(const std::vector<DevicePart>& parts) {
  std::map<std::string, std::vector<DevicePart>> by_device;
  for (const DevicePart& part : parts) by_device[part.partition->device].push_back(part);
  std::vector<MemoryEstimate> estimates;
  for (const auto& [device, own] : by_device) estimates.push_back(EstimateMemory(own));
  return estimates;
}

std::vector<std::string> DescribeMemory(std::vector<MemoryEstimate> estimates) {
  constexpr size_t kMaxShown = 4;
  const auto total = [](const MemoryEstimate& estimate) { return estimate.state_bytes + estimate.step_bytes; };
  std::stable_sort(estimates.begin(), estimates.end(),
                   [&](const MemoryEstimate& a, const MemoryEstimate& b) { return total(a) > total(b); });
  std::vector<std::string> lines;
  for (size_t i = 0; i < std::min(estimates.size(), kMaxShown); ++i) {
    const MemoryEstimate& estimate = estimates[i];
    lines.push_back(StrCat("memory: ", BytesText(estimate.state_bytes), " of variables and slots, about ",
                           BytesText(estimate.step_bytes), " of values in a step, on ", estimate.device));
  }
  if (estimates.size() > kMaxShown)
    lines.push_back(StrCat("memory: no more on each of ", estimates.size() - kMaxShown, " further devices"));
  return lines;
}

Result<std::vector<std::string>> CheckMemory(const std::vector<DevicePart>& parts, const MemoryLimits& limits,
                                             const Cluster& cluster) {
  std::vector<std::string> warnings;
  const std::unordered_map<std::string, int64_t> of_devices = LimitsOf(limits, cluster);
  if (of_devices.empty()) return warnings;
  for (const MemoryEstimate& estimate : EstimateDevices(parts)) {
    const std::string& device = estimate.device;
    const auto found = of_devices.find(device);
    const int64_t limit = found == of_devices.end() ? 0 : found->second;
    if (limit == 0) continue;
    const std::string key = KeyOf(device);
    if (estimate.state_bytes > limit) {
      return InvalidArgument("the variables of ", device, " and their slots take ", estimate.state_bytes,
                             " bytes, more than the ", limit, " that `", key,
                             "` of the cluster leaves; the largest is ", estimate.largest, ": raise `", key,
                             "`, or put variables on more devices");
    }
    if (estimate.state_bytes + estimate.step_bytes <= limit) continue;
    warnings.push_back(
        StrCat("the variables of ", device, " and their slots take ", estimate.state_bytes, " bytes, and a step about ",
               estimate.step_bytes, " more, of the ", limit, " that `", key,
               "` of the cluster leaves: the run may end for lack of memory; smaller batches take less"));
  }
  return warnings;
}

}  // namespace dfrun
