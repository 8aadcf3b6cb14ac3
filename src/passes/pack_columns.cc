#include "src/passes/pack_columns.h"

#include <optional>

#include "src/passes/fusion.h"

namespace dfrun {
namespace {

// Fewer columns are copied better by a node that does nothing else.
constexpr int64_t kLeastColumns = 16;

struct Columns {
  Output whole;
  int64_t first;
};

// The columns that `node` takes from all rows of a matrix; none where it does something else.
std::optional<Columns> ColumnsOf(const Graph& graph, const Node& node) {
  if (node.op->name != "Slice" || graph.is_ref(node.inputs[0])) return std::nullopt;
  const Tensor* const begin = graph.ConstantValue(node.inputs[1]);
  const PartialShape& whole = graph.shape(node.inputs[0]);
  const PartialShape& part = node.output_shapes[0];
  const bool is_known = begin != nullptr && whole.IsFullyDefined() && part.IsFullyDefined();
  if (!is_known || whole.rank() != 2 || part.dim(0) != whole.dim(0) || part.dim(1) < kLeastColumns) return std::nullopt;
  return Columns{node.inputs[0], LastInt(*begin)};
}

// The same of what `pack` reads by `input`, with what lies between appended to `gone`.
std::optional<Columns> ColumnsAt(const FusionView& view, const Node& pack, Output input, std::vector<NodeId>& gone) {
  const Node* node = &view.node(input.node);
  if (node->op->name == "Identity" && view.HasOneReader(*node) && !view.IsAwaited(*node)) {
    gone.push_back(node->id);
    node = &view.node(node->inputs[0].node);
  }
  if (!view.OnOneDevice(*node, pack) || !view.HasOneReader(*node)) return std::nullopt;
  gone.push_back(node->id);
  return ColumnsOf(view.graph(), *node);
}

std::optional<Fusion> FuseAt(const FusionView& view, const Node& pack) {
  if (pack.op->name != "Pack" || pack.num_inputs() < 2 || !IsFloating(pack.output_types[0].dtype)) return {};
  const Graph& graph = view.graph();
  const Result<int64_t> axis = pack.attrs.Get<int64_t>("axis");
  const PartialShape& shape = pack.output_shapes[0];
  if (!axis.ok() || shape.rank() != 3 || (*axis < 0 ? *axis + 3 : *axis) > 1) return {};
  Fusion fusion{pack.id, {}, "_PackColumns", {}, {}};
  std::optional<Columns> of_first;
  for (Output input : pack.inputs) {
    const std::optional<Columns> columns = ColumnsAt(view, pack, input, fusion.gone);
    if (!columns) return {};
    if (!of_first) of_first = columns;
    if (columns->first != of_first->first || !(graph.shape(columns->whole) == graph.shape(of_first->whole))) return {};
    fusion.inputs.push_back(columns->whole);
  }
  fusion.attrs.Set("T", pack.output_types[0].dtype);
  fusion.attrs.Set("N", static_cast<int64_t>(pack.num_inputs()));
  fusion.attrs.Set("axis", *axis < 0 ? *axis + 3 : *axis);
  fusion.attrs.Set("first", of_first->first);
  fusion.attrs.Set("columns", shape.dim(2));
  return fusion;
}

}  // namespace

Status PackColumns(Graph& graph) {
  return graph.ops().Find("_PackColumns") == nullptr ? Status() : FuseNodes(graph, &FuseAt);
}

}  // namespace dfrun
