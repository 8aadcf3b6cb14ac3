#include "src/executor/capture/device_gate.h"

#include <algorithm>

#include "src/framework/device/graph_capture.h"
#include "src/graph/update_gate.h"

namespace dfrun {
namespace {

int64_t CountGated(const Graph& graph) {
  return std::count_if(graph.nodes().begin(), graph.nodes().end(), [](const Node& node) { return IsGated(node); });
}

}  // namespace

std::optional<Graph> WithDeviceGate(const Graph& partition, const Device& device) {
  if (FindCaptureTraits(device.type(), kDeviceGateOp) == nullptr) return std::nullopt;
  NodeId gate = -1;
  for (const Node& node : partition.nodes()) {
    if (IsGated(node)) {
      const CaptureTraits* const traits = FindCaptureTraits(device.type(), node.op->name);
      if (traits == nullptr || !traits->obeys_gate) return std::nullopt;
    }
    if (node.op->name != kUpdateGateOp) continue;
    if (gate >= 0) return std::nullopt;
    gate = node.id;
  }
  if (gate < 0) return std::nullopt;
  Graph graph = partition.Clone();
  Node& node = graph.mutable_node(gate);
  node.op = graph.ops().Find(kDeviceGateOp);
  node.output_types = {TypedArg{DType::kInt32, false}};
  return graph;
}

bool IsGateRecorded(const Graph& partition, const CapturePartition& cut) {
  for (const SubgraphDraft& subgraph : cut.subgraphs) {
    const auto& nodes = subgraph.graph.nodes();
    const bool has_gate =
        std::any_of(nodes.begin(), nodes.end(), [](const Node& node) { return node.op->name == kDeviceGateOp; });
    if (has_gate) return CountGated(subgraph.graph) == CountGated(partition);
  }
  return false;
}

}  // namespace dfrun
