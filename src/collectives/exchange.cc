#include "src/collectives/exchange.h"

#include <utility>

#include "src/graph/wire_compression.h"

namespace dfrun {

Output CollectiveExchange::Add(size_t i, const std::string& op, std::vector<Output> inputs, AttrMap attrs) {
  if (!status_.ok()) return {};
  const CollectiveMember& member = members_[i];
  NodeSpec spec;
  spec.name = graph_.UniqueName(StrCat(member.scope, "/", op));
  spec.op = op;
  spec.inputs = std::move(inputs);
  spec.attrs = std::move(attrs);
  spec.control_inputs = member.control_inputs;
  spec.device = member.device;
  spec.colocate_with = member.colocate_with;
  if (!spec.inputs.empty() && IsMarkedCompressed(graph_.node(spec.inputs[0].node))) MarkCompressed(spec.attrs);
  Result<NodeId> added = graph_.AddNode(std::move(spec));
  if (added.ok()) return {*added, 0};
  status_ = std::move(added).status();
  return {};
}

Output CollectiveExchange::Const(size_t i, Tensor value) {
  const DType dtype = value.dtype();
  return Add(i, "Const", {}, {{"dtype", dtype}, {"value", std::move(value)}});
}

Output CollectiveExchange::DivideBySize(size_t i, Output value) {
  const Output count = Const(i, Tensor::Scalar<int32_t>(size()));
  if (!status().ok()) return {};
  return Add(i, "Div", {value, Add(i, "Cast", {count}, {{"DstT", graph_.dtype(value)}})});
}

}  // namespace dfrun
