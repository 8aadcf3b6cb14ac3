#include "src/training/narrow_values.h"

#include "src/graph/colocation_head.h"
#include "src/graph/wire_compression.h"

namespace dfrun {

DType SumDType(DType dtype) {
  return dtype == DType::kHalf || dtype == DType::kBfloat16 ? DType::kFloat : dtype;
}

Output CastTo(GraphOps& ops, const std::string& name, Output value, DType from, DType to) {
  if (from == to || !value.valid()) return value;
  return ops.Add(name, "Cast", {value}, {{"DstT", to}});
}

Result<Output> WidenWhereItIs(Graph& graph, Output value) {
  const DType dtype = graph.dtype(value);
  if (dtype == SumDType(dtype)) return value;
  const Node& node = graph.node(value.node);
  const std::string name = node.name;
  const bool is_compressed = IsMarkedCompressed(node);
  GraphOps ops(graph, name, HeadOfColocation(graph, node).device);
  const Output wide = CastTo(ops, "wide", value, dtype, SumDType(dtype));
  DF_TRY(ops.status());
  Node& cast = graph.mutable_node(wide.node);
  cast.colocate_with = name;  // a task may have several devices
  if (is_compressed) MarkCompressed(cast.attrs);
  return wide;
}

}  // namespace dfrun
