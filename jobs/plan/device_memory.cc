#include "jobs/plan/device_memory.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "jobs/json.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/framework/device/device_name.h"
#include "src/graph/node_cost.h"
#include "src/graph/order/has_refs.h"

namespace dfrun::jobs {
namespace {

constexpr size_t kMaxLargest = 3;
constexpr size_t kMaxDevicesShown = 4;

// The largest tensors of one device, each once.
class LargestTensors {
 public:
  void AddAll(const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (node.op->traits.is_variable) {
        AddVariable(node);
      } else if (node.op->traits.passthrough == Passthrough::kNone && !HasRefInput(node) && !HasHandleInput(node)) {
        for (int32_t port = 0; port < node.num_outputs(); ++port) AddValue(graph, {node.id, port});
      }
    }
  }

  int64_t value_bytes() const { return value_bytes_; }
  std::vector<LargeTensor> All() const {
    return TextsOf([](const Tensor& tensor) { return tensor.node->name; });
  }
  // The tensors of a copy of the device's only part.
  std::vector<LargeTensor> AllOf(const PlannedPart& copy) const {
    return TextsOf([&](const Tensor& tensor) { return copy.NameOf(*tensor.node); });
  }

 private:
  struct Tensor {
    const Node* node;
    std::string port;  // ":1"; none for port 0
    std::string type;  // "float32[784,100]"
    int64_t bytes;
    bool is_variable;
  };

  template <class NameOf>
  std::vector<LargeTensor> TextsOf(NameOf name_of) const {
    std::map<std::pair<int64_t, std::string>, const Tensor*> sorted;
    for (const auto& [order, tensor] : tensors_)
      sorted.emplace(std::pair(-tensor.bytes, name_of(tensor) + tensor.port), &tensor);
    std::vector<LargeTensor> all;
    all.reserve(sorted.size());
    for (const auto& [order, tensor] : sorted)
      all.push_back({StrCat("'", order.second, "' (", tensor->type, ")"), tensor->bytes, tensor->is_variable});
    return all;
  }

  void AddVariable(const Node& node) {
    const Result<DType> dtype = node.attrs.Get<DType>("dtype");
    const Result<PartialShape> shape = node.attrs.Get<PartialShape>("shape");
    if (dtype.ok() && shape.ok()) Add(node, 0, *dtype, *shape, true);
  }

  // A value that shares the bytes of another, or is a variable's, is not one of its own.
  void AddValue(const Graph& graph, Output output) {
    if (!graph.is_ref(output))
      Add(graph.node(output.node), output.port, graph.dtype(output), graph.shape(output), false);
  }

  void Add(const Node& node, int port, DType dtype, const PartialShape& shape, bool is_variable) {
    if (!shape.IsFullyDefined() || !IsPlain(dtype)) return;
    const int64_t bytes = shape.num_elements() * static_cast<int64_t>(DTypeSize(dtype));
    if (!is_variable) value_bytes_ = std::max(value_bytes_, bytes);
    const bool is_small = tensors_.size() >= kMaxLargest && bytes <= tensors_.rbegin()->second.bytes;
    if (bytes == 0 || is_small) return;
    const std::string of_port = port == 0 ? "" : StrCat(":", port);
    tensors_.try_emplace({-bytes, node.name + of_port},
                         Tensor{&node, of_port, StrCat(dtype, shape), bytes, is_variable});
    if (tensors_.size() > kMaxLargest) tensors_.erase(std::prev(tensors_.end()));
  }

  int64_t value_bytes_ = 0;
  std::map<std::pair<int64_t, std::string>, Tensor> tensors_;
};

// The memory of devices, by name: what they have, or less where the spec grants less.
std::unordered_map<std::string, int64_t> LimitsOf(const Cluster& cluster, const MemoryLimits& limits) {
  std::unordered_map<std::string, int64_t> bytes;
  for (const ClusterDevice& device : cluster.devices) {
    const int64_t limit = LimitOfType(limits, *device.name.type, device.memory_bytes, device.memory_bytes);
    bytes[device.name.ToString()] = device.memory_bytes > 0 ? std::min(limit, device.memory_bytes) : limit;
  }
  return bytes;
}

int64_t Total(const DeviceMemoryPlan& plan) {
  return plan.estimate.state_bytes + plan.estimate.step_bytes;
}

// The bytes that must be there at one time.
int64_t LeastBytes(const DeviceMemoryPlan& plan) {
  return plan.estimate.state_bytes + plan.value_bytes;
}

bool Fits(const DeviceMemoryPlan& plan) {
  return plan.limit_bytes == 0 || LeastBytes(plan) <= plan.limit_bytes;
}

std::string TextOf(const LargeTensor& tensor) {
  return StrCat(tensor.text, " of ", BytesText(tensor.bytes));
}

}  // namespace

std::vector<DeviceMemoryPlan> PlanMemory(const std::vector<DevicePart>& parts, const std::vector<PlannedPart>& copies,
                                         const MemoryLimits& limits, const Cluster& cluster, bool tells_all) {
  std::map<std::string, LargestTensors> largest;
  for (const DevicePart& part : parts) largest[part.partition->device].AddAll(part.partition->graph);
  const std::unordered_map<std::string, int64_t> bytes = LimitsOf(cluster, limits);
  const auto limit_of = [&](const std::string& device) {
    const auto limit = bytes.find(device);
    return limit == bytes.end() ? 0 : limit->second;
  };
  struct Planned {
    DeviceMemoryPlan plan;
    const LargestTensors* largest;
    const PlannedPart* copy;  // null: the device's parts are its own
  };
  std::vector<Planned> planned;
  const auto add = [&](const MemoryEstimate& estimate, const std::string& device, const PlannedPart* copy) {
    const LargestTensors& of_device = largest[estimate.device];
    planned.push_back({{estimate, limit_of(device), of_device.value_bytes(), {}}, &of_device, copy});
    planned.back().plan.estimate.device = device;
  };
  std::unordered_map<std::string, MemoryEstimate> estimates;
  for (MemoryEstimate& estimate : EstimateDevices(parts)) {
    add(estimate, estimate.device, nullptr);
    estimates.emplace(estimate.device, std::move(estimate));
  }
  for (const PlannedPart& copy : copies) add(estimates[copy.partition->device], copy.device, &copy);
  std::sort(planned.begin(), planned.end(), [](const Planned& a, const Planned& b) {
    const auto order = [](const Planned& p) {
      return std::tuple(-Total(p.plan), std::string_view(p.plan.estimate.device));
    };
    return order(a) < order(b);
  });
  std::vector<DeviceMemoryPlan> plans;
  for (Planned& p : planned) {
    if (tells_all || plans.size() < kMaxDevicesShown || !Fits(p.plan))
      p.plan.largest = p.copy == nullptr ? p.largest->All() : p.largest->AllOf(*p.copy);
    plans.push_back(std::move(p.plan));
  }
  return plans;
}

Status CheckFits(const std::vector<DeviceMemoryPlan>& plans) {
  for (const DeviceMemoryPlan& plan : plans) {
    if (Fits(plan)) continue;
    return InvalidArgument("the job does not fit: ", plan.estimate.device, " has ", BytesText(plan.limit_bytes),
                           ", but variables with their slots, and the largest value of a step, take ",
                           BytesText(LeastBytes(plan)), "; the largest are ", Join(plan.largest, ", ", &TextOf),
                           ": put variables on more devices, make the batch smaller, or take devices with more memory");
  }
  return Status();
}

std::vector<std::string> DescribePlans(const std::vector<DeviceMemoryPlan>& plans) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < std::min(plans.size(), kMaxDevicesShown); ++i) {
    const DeviceMemoryPlan& plan = plans[i];
    lines.push_back(StrCat("memory: ", BytesText(plan.estimate.state_bytes), " of variables and slots, about ",
                           BytesText(plan.estimate.step_bytes), " of values in a step, ",
                           plan.limit_bytes > 0 ? StrCat("of ", BytesText(plan.limit_bytes), " ") : "", "on ",
                           plan.estimate.device));
    if (!plan.largest.empty()) lines.back() += StrCat("; the largest: ", Join(plan.largest, ", ", &TextOf));
    if (plan.limit_bytes > 0 && Total(plan) > plan.limit_bytes)
      lines.push_back("warning: that may be more than the device has; smaller batches take less");
  }
  if (plans.size() > kMaxDevicesShown)
    lines.push_back(StrCat("memory: no more on each of ", plans.size() - kMaxDevicesShown, " further devices"));
  return lines;
}

std::string ToJson(const std::vector<DeviceMemoryPlan>& plans) {
  const auto tensor = [](const LargeTensor& t) {
    return StrCat("{\"tensor\": ", JsonString(t.text), ", \"bytes\": ", t.bytes,
                  ", \"is_variable\": ", t.is_variable ? "true" : "false", "}");
  };
  return StrCat("[",
                Join(plans, ", ",
                     [&](const DeviceMemoryPlan& plan) {
                       return StrCat("{\"device\": ", JsonString(plan.estimate.device),
                                     ", \"variables_bytes\": ", plan.estimate.state_bytes,
                                     ", \"step_bytes\": ", plan.estimate.step_bytes,
                                     ", \"limit_bytes\": ", plan.limit_bytes, ", \"largest\": [",
                                     Join(plan.largest, ", ", tensor), "]}");
                     }),
                "]");
}

}  // namespace dfrun::jobs
