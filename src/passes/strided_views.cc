#include "src/passes/strided_views.h"

#include <algorithm>

namespace dfrun {
namespace {

// Returns true where `part` has fewer columns and is as large as `whole` otherwise.
bool IsNarrower(const PartialShape& part, const PartialShape& whole) {
  return part.rank() == whole.rank() && std::equal(part.dims().begin(), part.dims().end() - 1, whole.dims().begin()) &&
         part.dims().back() < whole.dims().back();
}

// The tensor that a node splits or slices; invalid where it is no such node.
Output WholeOf(const Node& node) {
  if (node.op->name == "Split") return node.inputs[1];
  if (node.op->name == "SplitV" || node.op->name == "Slice") return node.inputs[0];
  return {};
}

bool TakesColumns(const Graph& graph, const Node& node, int64_t least_columns) {
  const Output whole = WholeOf(node);
  if (!whole.valid()) return false;
  const PartialShape& shape = graph.shape(whole);
  if (graph.dtype(whole) != DType::kFloat || graph.is_ref(whole) || !shape.IsFullyDefined()) return false;
  const bool are_columns =
      std::all_of(node.output_shapes.begin(), node.output_shapes.end(), [&](const PartialShape& part) {
        const bool has_columns = part.IsFullyDefined() && part.rank() > 0 && part.dims().back() >= least_columns;
        return has_columns && IsNarrower(part, shape);
      });
  return are_columns && (node.op->name != "Slice" || graph.ConstantValue(node.inputs[1]) != nullptr);
}

bool OnlyClustersRead(const FusionView& view, const ElementwiseClusters& clusters, const Node& node) {
  const auto readers = view.consumers().of(node.id);
  return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](const Consumers::Edge& edge) {
    return edge.port >= 0 && clusters.Of(edge.node) != nullptr &&
           view.graph().shape({node.id, edge.port}) == view.node(edge.node).output_shapes[0];
  });
}

// The last element of a constant vector, int32 or int64.
int64_t LastInt(const Tensor& vector) {
  const int64_t i = vector.num_elements() - 1;
  return vector.dtype() == DType::kInt64 ? vector.data<int64_t>()[i] : vector.data<int32_t>()[i];
}

}  // namespace

StridedViews::StridedViews(const FusionView& view, const ElementwiseClusters& clusters, int64_t least_columns)
    : graph_(view.graph()) {
  for (const Node& node : graph_.nodes()) {
    is_gone_.push_back(TakesColumns(graph_, node, least_columns) && OnlyClustersRead(view, clusters, node));
  }
}

std::optional<StridedView> StridedViews::Of(Output value) const {
  if (!IsGone(value.node)) return std::nullopt;
  const Node& node = graph_.node(value.node);
  if (node.op->name == "Slice") return StridedView{WholeOf(node), LastInt(*graph_.ConstantValue(node.inputs[1]))};
  int64_t first = 0;
  for (int32_t port = 0; port < value.port; ++port) first += graph_.shape({value.node, port}).dims().back();
  return StridedView{WholeOf(node), first};
}

}  // namespace dfrun
