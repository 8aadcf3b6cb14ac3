#include "src/job/memory_estimate.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "src/base/units.h"
#include "src/framework/device/device_factory.h"
#include "src/graph/control_flow.h"
#include "src/graph/node_cost.h"
#include "src/graph/order/live_values.h"
#include "src/storage/sample_source.h"

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

// The most scratch memory that a product or a convolution takes beside its operands, by the tuning constants of
// kernels/gemm/tuning.h.
constexpr int64_t kMaxScratch = int64_t{8} << 20;
// The part of the values that threads may hold besides, as they run nodes in another order than one thread would.
constexpr int64_t kShareInFlight = 16;
// Batches that are short to copy are read so far ahead (kernels/io/batch_reader.cc).
constexpr int64_t kShortBatchesAhead = 8;

int64_t OutputBytes(const Graph& graph, const Node& node) {
  int64_t bytes = 0;
  for (int32_t port = 0; port < node.num_outputs(); ++port) bytes += BytesOfOutput(graph, {node.id, port});
  return bytes;
}

// Whether the node is a product whose operands are read where they lie, as its result has few columns.
bool IsThinProduct(const Graph& graph, const Node& node) {
  constexpr int64_t kMinPackedColumns = 240;  // that of kernels/gemm/tuning.h
  const auto is_false = [&](std::string_view name) {
    const AttrValue* const value = node.attrs.Find(name);
    const bool* const flag = value == nullptr ? nullptr : value->get<bool>();
    return flag != nullptr && !*flag;
  };
  if (!is_false("transpose_a") || !is_false("transpose_b") || node.num_outputs() == 0) return false;
  const PartialShape& shape = graph.shape({node.id, 0});
  const DType dtype = graph.dtype({node.id, 0});
  return shape.rank() == 2 && shape.IsFullyDefined() && shape.dim(1) < kMinPackedColumns &&
         (dtype == DType::kFloat || dtype == DType::kDouble);
}

// The packed operands and partial sums of a product: about the bytes of its operands, where these are few.
int64_t ScratchOf(const Graph& graph, const Node& node) {
  if (IsThinProduct(graph, node)) return 0;
  const std::optional<OpCost> cost = NodeCost(graph, node);
  constexpr double kFlopsPerByte = 2;  // fewer are those of a pass over the bytes
  if (!cost || cost->flops < kFlopsPerByte * (cost->bytes_read + cost->bytes_written)) return 0;
  return std::min(kMaxScratch, static_cast<int64_t>(cost->bytes_read));
}

// The batches that a reader has ready for later steps.
int64_t ReadAhead(const Graph& graph, const Node& node) {
  if (!node.attrs.Has("prefetch")) return 0;
  const Result<int64_t> prefetch = node.attrs.Get<int64_t>("prefetch");
  const Result<int64_t> batch = node.attrs.Get<int64_t>("batch");
  if (!prefetch.ok() || *prefetch == 0 || !batch.ok() || *batch < 0) return 0;
  const int64_t bytes = OutputBytes(graph, node);
  return bytes * (static_cast<size_t>(bytes) <= kShortCopyBytes ? std::max(*prefetch, kShortBatchesAhead) : *prefetch);
}

// The turns of the loops around a node that may run at a time, by node. A loop keeps the memory of its turns.
std::vector<int64_t> TurnsOf(const Graph& graph) {
  std::vector<int64_t> turns(static_cast<size_t>(graph.num_nodes()), 1);
  const Result<FrameTree> tree = BuildFrameTree(graph);
  if (!tree.ok()) return turns;
  std::vector<int64_t> of_frame;
  for (const Frame& frame : tree->frames) {
    const int64_t outer = frame.parent < 0 ? 1 : of_frame[static_cast<size_t>(frame.parent)];
    of_frame.push_back(outer * std::max<int64_t>(1, frame.parallel_iterations));
  }
  for (size_t id = 0; id < turns.size(); ++id)
    turns[id] = of_frame[static_cast<size_t>(std::max(0, tree->of_node[id]))];
  return turns;
}

// The values of a part, with what its kernels and readers take beside them.
LiveBytes BytesOfPart(const Graph& graph) {
  const std::vector<NodeId> order = RunOrder(graph, std::vector<bool>(static_cast<size_t>(graph.num_nodes()), true));
  const std::vector<int64_t> turns = HasControlFlow(graph) ? TurnsOf(graph) : std::vector<int64_t>();
  LiveOptions options;
  options.scratch = [&](const Node& node) { return ScratchOf(graph, node); };
  if (!turns.empty()) options.times = [&](const Node& node) { return turns[static_cast<size_t>(node.id)]; };
  LiveBytes bytes = LiveBytesOf(graph, order, options);
  bytes.peak += bytes.peak / kShareInFlight;
  for (const NodeId id : order) bytes.small += ReadAhead(graph, graph.node(id));
  return bytes;
}

// Returns the limits of devices by name; 0: a device has none, or none that is known here.
std::unordered_map<std::string, int64_t> LimitsOf(const MemoryLimits& limits, const Cluster& cluster) {
  std::unordered_map<std::string, int64_t> of_devices;
  for (const ClusterDevice& device : cluster.devices) {
    if (const int64_t bytes = LimitOfType(limits, *device.name.type, device.memory_bytes); bytes > 0)
      of_devices[device.name.ToString()] = bytes;
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
  int64_t kept_bytes = 0;  // by the plans of all parts, from step to step
  for (const DevicePart& part : parts) {
    const Graph& graph = part.partition->graph;
    estimate.device = part.partition->device;
    for (const Node& node : graph.nodes()) {
      if (node.op->traits.is_variable) variables[node.name] = HeldBy(node);
    }
    const LiveBytes bytes = BytesOfPart(graph);
    kept_bytes += bytes.small * part.plans;
    estimate.step_bytes = std::max(estimate.step_bytes, bytes.peak);
    if (part.runs_beside) beside_bytes += bytes.peak;
  }
  estimate.step_bytes = std::max(estimate.step_bytes, beside_bytes) + kept_bytes;
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
  estimates.reserve(by_device.size());
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
