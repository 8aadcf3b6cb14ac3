// On GPUs, batch normalisation, the addition of a side input and Relu become one node (_FusedBatchNormEx), which goes
// over images once for all three. The node stands where the normalisation stood, and has its name and other outputs, so
// the side input must come before it. Relu's readers then wait for the nodes that Relu and the addition waited for,
// such as moving averages that follow from the statistics. Bits stay.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/device/cuda_pass.h"
#include "src/base/sort_unique.h"
#include "src/graph/control_flow.h"
#include "src/graph/order/node_order.h"
#include "src/passes/fusion.h"
#include "src/passes/graph_rebuilder.h"

namespace dfrun {
namespace {

// The nodes that become one.
struct NormFusion {
  NodeId norm;
  NodeId relu;
  NodeId sum = -1;  // or none
  Output side = {};
};

class NormFusions {
 public:
  NormFusions(const Graph& graph, const std::vector<NodeId>& order)
      : graph_(graph), view_(graph), position_(order.size()) {
    for (size_t i = 0; i < order.size(); ++i) position_[static_cast<size_t>(order[i])] = i;
  }

  std::optional<NormFusion> At(const Node& relu) const {
    if (relu.op->name != "Relu" || WaitsForRelu(relu)) return {};
    const Node& source = view_.node(relu.inputs[0].node);
    if (IsNorm(relu.inputs[0], relu)) return NormFusion{source.id, relu.id};
    const bool is_sum = source.op->name == "AddV2" || source.op->name == "Add";
    if (!is_sum || WaitsForRelu(source) || !view_.HasOneReader(source) || view_.IsAwaited(source)) return {};
    for (const int i : {0, 1}) {
      const Output norm = source.inputs[i];
      const Output side = source.inputs[1 - i];
      if (IsNorm(norm, source) && MayComeBefore(side, norm)) return NormFusion{norm.node, relu.id, source.id, side};
    }
    return {};
  }

 private:
  // True if the node waits for a Relu, which may be removed together with the nodes that it waited for.
  bool WaitsForRelu(const Node& node) const {
    return std::any_of(node.control_inputs.begin(), node.control_inputs.end(),
                       [&](NodeId id) { return view_.node(id).op->name == "Relu"; });
  }
  // True if the value is the images of a normalisation and `reader` alone reads it.
  bool IsNorm(Output value, const Node& reader) const {
    const Node& node = view_.node(value.node);
    const bool is_norm = node.op->name == "FusedBatchNormV3" || node.op->name == "FusedBatchNormV2";
    if (!is_norm || value.port != 0 || !HasChannelsLast(node) || node.output_types[1].dtype != DType::kFloat)
      return false;
    int readers = 0;
    for (const Consumers::Edge& edge : view_.consumers().of(node.id)) {
      if (edge.port == 0) readers += edge.node == reader.id ? 1 : 2;
    }
    return readers == 1;
  }
  bool MayComeBefore(Output side, Output norm) const {
    const PartialShape& shape = graph_.shape(norm);
    return shape.IsFullyDefined() && shape == graph_.shape(side) && !graph_.is_ref(side) &&
           position_[static_cast<size_t>(side.node)] < position_[static_cast<size_t>(norm.node)];
  }

  const Graph& graph_;
  const FusionView view_;
  std::vector<size_t> position_;
};

// The new graph as it is made.
class NormRebuilder {
 public:
  NormRebuilder(const Graph& graph, const std::vector<NormFusion>& fusions) : graph_(graph), rebuilder_(graph) {
    for (const NormFusion& fusion : fusions) {
      by_norm_.emplace(fusion.norm, fusion);
      std::vector<NodeId>& waits = gone_[fusion.relu];
      waits = graph.node(fusion.relu).control_inputs;
      if (fusion.sum < 0) continue;
      const std::vector<NodeId>& of_sum = graph.node(fusion.sum).control_inputs;
      waits.insert(waits.end(), of_sum.begin(), of_sum.end());
      gone_[fusion.sum] = {};
    }
  }

  Status Add(NodeId id) {
    if (gone_.contains(id)) return Status();
    if (const auto fusion = by_norm_.find(id); fusion != by_norm_.end()) return AddFused(fusion->second);
    AddWaits(graph_.node(id), {}, rebuilder_.Keep(id));
    return Status();
  }
  Result<Graph> Finish() { return rebuilder_.Finish(); }

 private:
  Status AddFused(const NormFusion& fusion) {
    const Node& norm = graph_.node(fusion.norm);
    NodeSpec spec = PlacedAs(norm);
    spec.name = norm.name;
    spec.op = "_FusedBatchNormEx";
    for (const Output input : norm.inputs) spec.inputs.push_back(rebuilder_.NewOutput(input));
    if (fusion.sum >= 0) spec.inputs.push_back(rebuilder_.NewOutput(fusion.side));
    rebuilder_.AddControls(norm.control_inputs, spec.control_inputs);
    spec.attrs = norm.attrs;
    spec.attrs.Set("activation_mode", "Relu");
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    Node& node = rebuilder_.to().mutable_node(made);
    for (size_t i = 0; i < norm.output_shapes.size(); ++i) node.output_shapes[i] = norm.output_shapes[i];
    AddWaits(norm, fusion.side, made);
    rebuilder_.MergeInto(norm.id, made);
    rebuilder_.Replace({fusion.relu, 0}, {made, 0});
    rebuilder_.ReplaceControl(fusion.relu, made);
    return Status();
  }

  // Adds the control edges of removed nodes: those of each one that `old` reads or waits for go to `made`.
  void AddWaits(const Node& old, Output side, NodeId made) {
    std::vector<NodeId>& controls = rebuilder_.to().mutable_node(made).control_inputs;
    const auto add = [&](NodeId source) {
      if (const auto removed = gone_.find(source); removed != gone_.end())
        rebuilder_.AddControls(removed->second, controls);
    };
    for (const Output input : old.inputs) add(input.node);
    for (const NodeId source : old.control_inputs) add(source);
    if (side.valid()) add(side.node);
    SortUnique(controls);
  }

  const Graph& graph_;
  GraphRebuilder rebuilder_;
  std::unordered_map<NodeId, NormFusion> by_norm_;
  std::unordered_map<NodeId, std::vector<NodeId>> gone_;  // removed nodes, and the nodes that their readers wait for
};

Status FuseBatchNorm(Graph& graph, const PassContext& /*context*/) {
  if (HasControlFlow(graph)) return Status();
  DF_ASSIGN(const std::vector<NodeId> order, PartitionOrder(graph));
  std::vector<NormFusion> found;
  {
    const NormFusions fusions(graph, order);
    for (const NodeId id : order) {
      if (const auto fusion = fusions.At(graph.node(id))) found.push_back(*fusion);
    }
  }
  if (found.empty()) return Status();
  NormRebuilder rebuilder(graph, found);
  for (const NodeId id : order) DF_TRY(rebuilder.Add(id));
  DF_ASSIGN(graph, rebuilder.Finish());
  return Status();
}
CUDA_PASS("fuse_batch_norm", 12, &FuseBatchNorm);

}  // namespace
}  // namespace dfrun
