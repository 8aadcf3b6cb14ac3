#include "src/placement/gathered_rows.h"

namespace dfrun {

int64_t BytesOf(const Graph& graph, Output value) {
  const int64_t elements = value.valid() ? graph.shape(value).num_elements() : PartialShape::kUnknown;
  return elements == PartialShape::kUnknown ? -1 : elements * static_cast<int64_t>(DTypeSize(graph.dtype(value)));
}

int64_t GatheredBytes(const Graph& graph, const Node& node) {
  if (!node.op->traits.gathers_rows) return -1;
  const int64_t indices = BytesOf(graph, node.inputs[1]);
  const int64_t rows = BytesOf(graph, {node.id, 0});
  return indices < 0 || rows < 0 ? -1 : indices + rows;
}

bool GathersFewRows(const Graph& graph, const Node& node) {
  const int64_t travels = GatheredBytes(graph, node);
  return travels >= 0 && travels < BytesOf(graph, node.inputs[0]);
}

}  // namespace dfrun
