#include "src/graph/value_bounds.h"

#include <algorithm>
#include <optional>

#include "src/graph/bounds_rules.h"

namespace dfrun {
ValueBounds::ValueBounds(const Graph& graph) : graph_(&graph), is_dead_(static_cast<size_t>(graph.num_nodes()), false) {
  size_t outputs = 0;
  for (const Node& node : graph.nodes()) {
    first_.push_back(outputs);
    outputs += static_cast<size_t>(node.num_outputs());
    for (int port = 0; port < node.num_outputs(); ++port) facts_.push_back({{}, {node.id, port}, false});
  }
}

Result<ValueBounds> ValueBounds::Of(const Graph& graph, const Replaced& replaced) {
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  ValueBounds unreplaced(graph);
  if (!replaced.outputs.empty()) unreplaced.Evaluate(order, {}, unreplaced);
  ValueBounds values(graph);
  values.Evaluate(order, replaced, unreplaced);
  return values;
}

void ValueBounds::Evaluate(const std::vector<NodeId>& order, const Replaced& replaced, const ValueBounds& unreplaced) {
  std::vector<bool> has_replaced(static_cast<size_t>(graph_->num_nodes()), false);
  for (const auto& [output, value] : replaced.values) has_replaced[static_cast<size_t>(output.node)] = true;
  for (const auto& [output, value] : replaced.outputs) has_replaced[static_cast<size_t>(output.node)] = true;
  for (const NodeId id : order) {
    EvaluateNode(graph_->node(id));
    if (has_replaced[static_cast<size_t>(id)]) Replace(replaced, id, unreplaced);
  }
}

void ValueBounds::Replace(const Replaced& replaced, NodeId node, const ValueBounds& unreplaced) {
  for (const auto& [output, other] : replaced.outputs) {
    if (output.node == node) facts_[Index(output)] = {unreplaced.bounds(other), output, false};
  }
  for (const auto& [output, value] : replaced.values) {
    if (output.node == node) facts_[Index(output)] = {value, output, false};
  }
}

bool ValueBounds::HasDeadInput(const Node& node) const {
  const auto is_dead = [&](Output input) { return input.valid() && facts_[Index(input)].is_dead; };
  return std::any_of(node.inputs.begin(), node.inputs.end(), is_dead) ||
         std::any_of(node.control_inputs.begin(), node.control_inputs.end(), [&](NodeId id) { return IsDead(id); });
}

void ValueBounds::EvaluateNode(const Node& node) {
  const auto& traits = node.op->traits;
  if (traits.control_flow == ControlFlowKind::kMerge) return EvaluateMerge(node);
  if (HasDeadInput(node)) {
    is_dead_[static_cast<size_t>(node.id)] = true;
    for (int port = 0; port < node.num_outputs(); ++port) facts_[Index({node.id, port})].is_dead = true;
    return;
  }
  if (traits.control_flow == ControlFlowKind::kSwitch) return EvaluateSwitch(node);
  if (node.num_outputs() == 0) return;
  Fact& fact = facts_[Index({node.id, 0})];
  if (node.op->traits.chooses) return EvaluateSelect(node);
  if (traits.passthrough == Passthrough::kFirstInput && node.inputs[0].valid()) {
    fact.bounds = facts_[Index(node.inputs[0])].bounds;
    if (!node.output_types[0].is_ref) fact.source = SourceOf(node.inputs[0]);
    return;
  }
  std::vector<Bounds> inputs;
  for (const Output input : node.inputs) inputs.push_back(input.valid() ? facts_[Index(input)].bounds : Bounds());
  if (const std::optional<Bounds> bounds = BoundsByRule(node, inputs)) fact.bounds = *bounds;
}

void ValueBounds::EvaluateSwitch(const Node& node) {
  const Fact& data = facts_[Index(node.inputs[0])];
  const Bounds& taken = facts_[Index(node.inputs[1])].bounds;
  for (int port = 0; port < node.num_outputs(); ++port) {
    Fact& fact = facts_[Index({node.id, port})];
    fact.bounds = data.bounds;
    if (!node.output_types[static_cast<size_t>(port)].is_ref) fact.source = data.source;
    fact.is_dead = taken.is_constant() && !taken.is(port);
  }
}

// A Merge has the bounds of the only input that is alive; with several, or in a loop, any bounds.
void ValueBounds::EvaluateMerge(const Node& node) {
  std::vector<Output> alive;  // before those that a loop brings back
  bool is_loop = false;
  for (int i = 0; i < node.num_inputs(); ++i) {
    is_loop = is_loop || !node.inputs[i].valid() || graph_->IsBackEdge(node, i);
    if (!is_loop && !facts_[Index(node.inputs[i])].is_dead) alive.push_back(node.inputs[i]);
  }
  is_dead_[static_cast<size_t>(node.id)] = alive.empty();
  for (int port = 0; port < node.num_outputs(); ++port) facts_[Index({node.id, port})].is_dead = alive.empty();
  if (is_loop || alive.size() != 1) return;
  Fact& fact = facts_[Index({node.id, 0})];
  fact.bounds = bounds(alive[0]);
  if (!node.output_types[0].is_ref) fact.source = SourceOf(alive[0]);
}

void ValueBounds::EvaluateSelect(const Node& node) {
  Fact& fact = facts_[Index({node.id, 0})];
  const Bounds& condition = bounds(node.inputs[0]);
  if (condition.is_constant()) {
    const Output chosen = node.inputs[condition.is(0) ? 2 : 1];
    fact.bounds = bounds(chosen);
    fact.source = SourceOf(chosen);
    return;
  }
  const Bounds& a = bounds(node.inputs[1]);
  const Bounds& b = bounds(node.inputs[2]);
  fact.bounds = {std::min(a.low, b.low), std::max(a.high, b.high)};
}

}  // namespace dfrun
