#include "tests/mpi/updates/ordered_graph.h"

#include <algorithm>

namespace dfrun::testing {
Output OrderedGraph::Add(const std::string& op, std::vector<Output> inputs, AttrMap attrs,
                         std::vector<NodeId> controls) {
  NodeSpec spec;
  spec.name = graph_.UniqueName(op);
  spec.op = op;
  spec.inputs = std::move(inputs);
  spec.attrs = std::move(attrs);
  spec.control_inputs = std::move(controls);
  return AddNode(std::move(spec));
}

Output OrderedGraph::AddAfter(const std::vector<NodeId>& before, const std::string& op, std::vector<Output> inputs,
                              AttrMap attrs, std::vector<NodeId> controls) {
  std::vector<size_t> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!graph_.is_ref(inputs[i]) && graph_.dtype(inputs[i]) != DType::kResource) values.push_back(i);
  }
  for (NodeId id : before) {
    const auto comes_after = [&](NodeId source) { return source == id || IsAfter(source, id); };
    const bool is_after = std::any_of(inputs.begin(), inputs.end(), [&](Output o) { return comes_after(o.node); }) ||
                          std::any_of(controls.begin(), controls.end(), comes_after);
    if (is_after && Maybe(70)) continue;
    const int way = Below(values.empty() ? 3 : 5);
    if (way == 0) {
      controls.push_back(id);
    } else if (way < 3) {
      Output end = Add("NoOp", {}, {}, {id});
      if (way == 2) end = Add("NoOp", {}, {}, {end.node});
      controls.push_back(end.node);
    } else {
      Output& input = inputs[values[static_cast<size_t>(Below(static_cast<int>(values.size())))]];
      input = Add("Identity", {input}, {}, {id});
      if (way == 4) input = Add("Identity", {input});
    }
  }
  return Add(op, std::move(inputs), std::move(attrs), std::move(controls));
}

void OrderedGraph::SetInput(NodeId merge, int input, Output value) {
  const Status set = graph_.SetInput(merge, input, value);
  if (status_.ok()) status_ = set;
}

Output OrderedGraph::Const(const Tensor& value) {
  return Add("Const", {}, {{"dtype", value.dtype()}, {"value", value}});
}

Output OrderedGraph::AddNode(NodeSpec spec) {
  if (!status_.ok()) return {0, 0};
  const Result<NodeId> added = graph_.AddNode(std::move(spec));
  if (!added.ok()) {
    status_ = added.status();
    return {0, 0};
  }
  if (static_cast<size_t>(*added) >= kMaxNodes) {
    status_ = Internal("a program of more than ", kMaxNodes, " nodes");
    return {0, 0};
  }
  NoteOrder(graph_.node(*added));
  return {*added, 0};
}

// A Merge may run before all of its inputs but one.
void OrderedGraph::NoteOrder(const Node& node) {
  const auto with = [&](NodeId source) {
    return Nodes(before_[static_cast<size_t>(source)]).set(static_cast<size_t>(source));
  };
  const bool is_merge = node.op->traits.control_flow == ControlFlowKind::kMerge;
  Nodes before;
  if (is_merge) before.set();
  for (Output input : node.inputs) {
    if (!input.valid()) continue;
    if (is_merge) {
      before &= with(input.node);
    } else {
      before |= with(input.node);
    }
  }
  for (NodeId control : node.control_inputs) before |= with(control);
  before_.push_back(before);
}

}  // namespace dfrun::testing
