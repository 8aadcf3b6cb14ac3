// On cards batch normalisation, the addition of a side input and Relu become one node (_FusedBatchNormEx), which goes
// over images once for all three. It stands where the normalisation stood, whose name and other outputs it has: what is
// added must come before that. Bits stay.
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/device/cuda_pass.h"
#include "src/graph/control_flow.h"
#include "src/graph/node_order.h"
#include "src/passes/fusion.h"
#include "src/passes/graph_rebuilder.h"

namespace dfrun {
namespace {

// What becomes one node.
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
    if (relu.op->name != "Relu" || !relu.control_inputs.empty()) return {};
    const Node& source = view_.node(relu.inputs[0].node);
    if (IsNorm(relu.inputs[0], relu)) return NormFusion{source.id, relu.id};
    const bool is_sum = source.op->name == "AddV2" || source.op->name == "Add";
    if (!is_sum || !source.control_inputs.empty() || !view_.HasOneReader(source) || view_.IsAwaited(source)) return {};
    for (const int i : {0, 1}) {
      const Output norm = source.inputs[i];
      const Output side = source.inputs[1 - i];
      if (IsNorm(norm, source) && MayComeBefore(side, norm)) return NormFusion{norm.node, relu.id, source.id, side};
    }
    return {};
  }

 private:
  // Whether the value is the images of a normalisation that `reader` alone reads.
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

Status AddFused(const Graph& graph, const NormFusion& fusion, GraphRebuilder& rebuilder) {
  const Node& norm = graph.node(fusion.norm);
  NodeSpec spec = PlacedAs(norm);
  spec.name = norm.name;
  spec.op = "_FusedBatchNormEx";
  for (const Output input : norm.inputs) spec.inputs.push_back(rebuilder.NewOutput(input));
  if (fusion.sum >= 0) spec.inputs.push_back(rebuilder.NewOutput(fusion.side));
  rebuilder.AddControls(norm.control_inputs, spec.control_inputs);
  spec.attrs = norm.attrs;
  spec.attrs.Set("activation_mode", "Relu");
  DF_ASSIGN(const NodeId made, rebuilder.to().AddNode(std::move(spec)));
  Node& node = rebuilder.to().mutable_node(made);
  for (size_t i = 0; i < norm.output_shapes.size(); ++i) node.output_shapes[i] = norm.output_shapes[i];
  rebuilder.MergeInto(norm.id, made);
  rebuilder.Replace({fusion.relu, 0}, {made, 0});
  rebuilder.ReplaceControl(fusion.relu, made);
  return Status();
}

Status FuseBatchNorm(Graph& graph, const PassContext& /*context*/) {
  if (HasControlFlow(graph)) return Status();
  DF_ASSIGN(const std::vector<NodeId> order, PartitionOrder(graph));
  std::unordered_map<NodeId, NormFusion> by_norm;
  std::vector<bool> is_gone(static_cast<size_t>(graph.num_nodes()), false);
  {
    const NormFusions fusions(graph, order);
    for (const NodeId id : order) {
      const auto found = fusions.At(graph.node(id));
      if (!found) continue;
      by_norm.emplace(found->norm, *found);
      is_gone[static_cast<size_t>(found->relu)] = true;
      if (found->sum >= 0) is_gone[static_cast<size_t>(found->sum)] = true;
    }
  }
  if (by_norm.empty()) return Status();
  GraphRebuilder rebuilder(graph);
  for (const NodeId id : order) {
    if (is_gone[static_cast<size_t>(id)]) continue;
    if (const auto fusion = by_norm.find(id); fusion != by_norm.end()) {
      DF_TRY(AddFused(graph, fusion->second, rebuilder));
    } else {
      rebuilder.Keep(id);
    }
  }
  DF_ASSIGN(graph, rebuilder.Finish());
  return Status();
}
CUDA_PASS("fuse_batch_norm", 12, &FuseBatchNorm);

}  // namespace
}  // namespace dfrun
