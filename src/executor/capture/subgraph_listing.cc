#include "src/executor/capture/subgraph_listing.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/executor/capture/device_gate.h"
#include "src/executor/plan/memory_copies.h"
#include "src/framework/device/device_factory.h"
#include "src/graph/control_flow.h"

namespace dfrun {
namespace {

// Memory of a device that is not there.
class NoMemory final : public Allocator {
 public:
  NoMemory() : Allocator(MemoryKind::kDevice) {}
  std::string_view name() const override { return "none"; }
  void* Allocate(size_t) override { return nullptr; }
  void Free(void*, size_t) override {}
  AllocatorStats Stats() const override { return {}; }
  void ResetPeak() override {}
};

// Nodes of the device's whose kernels the host calls in each step, but for copies.
bool IsCalled(const Node& node) {
  return node.op->name != kCapturedSubgraphOp && node.op->traits.boundary == Boundary::kNone &&
         !node.op->traits.is_variable && node.op->name != "Const" && node.op->name != "_HostConst" &&
         node.op->name != "NoOp" && node.op->name != "_CopyToHost" && node.op->name != "_CopyToDevice";
}

}  // namespace

Result<CapturePartition> PartitionForDevice(const Graph& partition, const Device& device,
                                            const KernelRegistry& kernels) {
  if (const std::optional<Graph> gated = WithDeviceGate(partition, device); gated) {
    DF_ASSIGN(const Graph copying, WithMemoryCopies(*gated, device, kernels));
    DF_ASSIGN(CapturePartition cut, PartitionForCapture(copying, device, kernels));
    if (IsGateRecorded(*gated, cut)) return cut;
  }
  DF_ASSIGN(const Graph copying, WithMemoryCopies(partition, device, kernels));
  return PartitionForCapture(copying, device, kernels);
}

std::vector<std::string> ListSubgraphs(const Graph& partition, const CapturePartition& cut, std::string_view device) {
  const auto& nodes = cut.graph.nodes();
  const auto called = std::count_if(nodes.begin(), nodes.end(), &IsCalled);
  std::vector<std::string> lines = {StrCat(device, ": ", cut.subgraphs.size(),
                                           cut.subgraphs.size() == 1 ? " unit" : " units", " a step; ", called,
                                           called == 1 ? " node" : " nodes", " beside, one by one")};
  for (const SubgraphDraft& subgraph : cut.subgraphs) {
    lines.push_back(
        StrCat(device, ": ", subgraph.name, ": ", subgraph.graph.num_nodes(), " nodes with their inputs and outputs"));
  }
  if (HasControlFlow(partition)) {
    lines.push_back(StrCat(device, ": nothing is recorded: the partition has conditionals or loops"));
  }
  for (const NotRecorded& rest : cut.rest) {
    lines.push_back(StrCat(device, ": node '", rest.node, "' (op ", rest.op, ") is not recorded: ", rest.why));
  }
  return lines;
}

Result<std::vector<std::string>> ListSubgraphsOf(const Graph& partition, const std::string& device,
                                                 const KernelRegistry& kernels) {
  DF_ASSIGN(DeviceName name, DeviceName::Parse(device));
  if (name.type == HostDeviceType()) return std::vector<std::string>();
  NoMemory memory;
  const Device absent(std::move(name), memory);
  DF_ASSIGN(const CapturePartition cut, PartitionForDevice(partition, absent, kernels));
  return ListSubgraphs(partition, cut, device);
}

}  // namespace dfrun
