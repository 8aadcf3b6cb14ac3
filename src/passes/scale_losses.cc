#include "src/passes/scale_losses.h"

#include "src/passes/fusion.h"

namespace dfrun {
namespace {

// The constant column by which `times` multiplies the gradient of `loss`, or none.
std::optional<Output> ScaleOf(const FusionView& view, const Node& loss, const Node& times) {
  if (times.op->name != "Mul" || !times.control_inputs.empty() || !view.OnOneDevice(loss, times)) return {};
  const int other = times.inputs[0] == Output{loss.id, 1} ? 1 : 0;
  const Output scale = times.inputs[other];
  const PartialShape& rows = loss.output_shapes[1];
  const Node& constant = view.node(scale.node);
  const bool fits = constant.op->name == "Const" && constant.control_inputs.empty() && rows.rank() == 2 &&
                    rows.dim(0) >= 0 && view.graph().shape(scale) == PartialShape({rows.dim(0), 1});
  return fits ? std::optional(scale) : std::nullopt;
}

std::optional<Fusion> FuseAt(const FusionView& view, const Node& loss) {
  const bool is_sparse = loss.op->name == "SparseSoftmaxCrossEntropyWithLogits";
  if (!is_sparse && loss.op->name != "SoftmaxCrossEntropyWithLogits") return {};
  const DType dtype = loss.output_types[1].dtype;
  if (dtype != DType::kFloat && dtype != DType::kDouble) return {};
  const Node* times = nullptr;
  for (const Consumers::Edge& edge : view.consumers().of(loss.id)) {
    if (edge.port != 1) continue;
    if (times != nullptr) return {};
    times = &view.node(edge.node);
  }
  if (times == nullptr) return {};
  const std::optional<Output> scale = ScaleOf(view, loss, *times);
  if (!scale) return {};
  const char* op = is_sparse ? "_ScaledSparseSoftmaxCrossEntropyWithLogits" : "_ScaledSoftmaxCrossEntropyWithLogits";
  return Fusion{loss.id, {}, op, {loss.inputs[0], loss.inputs[1], *scale}, loss.attrs, times->id};
}

}  // namespace

Status ScaleLosses(Graph& graph) {
  const bool has_ops = graph.ops().Find("_ScaledSparseSoftmaxCrossEntropyWithLogits") != nullptr;
  return has_ops ? FuseNodes(graph, &FuseAt) : Status();
}

}  // namespace dfrun
