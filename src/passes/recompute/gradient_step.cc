#include "src/passes/recompute/gradient_step.h"

#include <algorithm>

#include "src/graph/order/ancestors.h"
#include "src/graph/order/has_refs.h"
#include "src/graph/order/read_apart.h"
#include "src/graph/order/variable_readers.h"

namespace dfrun {
namespace {

// Tells for each node of `order` whether it, or a node that it depends on, is one of those that `is_one` names.
template <class IsOne>
std::vector<bool> FindBehind(const Graph& graph, std::span<const NodeId> order, IsOne is_one) {
  std::vector<bool> behind(static_cast<size_t>(graph.num_nodes()), false);
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    const auto is_behind = [&](NodeId source) { return source >= 0 && behind[static_cast<size_t>(source)]; };
    behind[static_cast<size_t>(id)] =
        is_one(node) ||
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](Output input) { return is_behind(input.node); }) ||
        std::any_of(node.control_inputs.begin(), node.control_inputs.end(), is_behind);
  }
  return behind;
}

bool HoldsFunction(const AttrValue& value) {
  return value.get<FunctionName>() != nullptr || value.get<std::vector<FunctionName>>() != nullptr;
}

// Whether a second run of the node gives the same and does nothing else, whatever its inputs are.
bool IsPure(const Node& node) {
  const OpTraits& traits = node.op->traits;
  const auto is_plain = [](const TypedArg& arg) { return IsPlain(arg.dtype); };
  const auto is_value = [](const TypedArg& arg) { return IsPlain(arg.dtype) && !arg.is_ref; };
  return node.num_inputs() > 0 && node.num_outputs() > 0 && !node.op->is_stateful && !IsReadApart(node) &&
         traits.boundary == Boundary::kNone && traits.control_flow == ControlFlowKind::kNone &&
         traits.queue == QueueKind::kNone && traits.wait == WaitKind::kNone && !traits.is_variable &&
         std::all_of(node.input_types.begin(), node.input_types.end(), is_plain) && !HasRefInput(node) &&
         std::all_of(node.output_types.begin(), node.output_types.end(), is_value) &&
         std::none_of(node.attrs.begin(), node.attrs.end(),
                      [](const auto& attr) { return HoldsFunction(attr.second); });
}

// Tells for each variable whether a node of the graph may change it.
std::vector<bool> FindChanged(const Graph& graph) {
  const Consumers consumers = graph.BuildConsumers();
  const VariableReaders variables(graph, consumers);
  std::vector<bool> changed(static_cast<size_t>(graph.num_nodes()), false);
  for (const Node& node : graph.nodes()) {
    if (!IsVariable(node)) continue;
    changed[static_cast<size_t>(node.id)] = !variables.ChangersOf(node.id).empty();
  }
  return changed;
}

}  // namespace

Result<GradientStep> GradientStep::Of(const Graph& graph, NodeId first_gradient, std::vector<Output> wanted) {
  DF_ASSIGN(const std::vector<NodeId> all, graph.TopologicalOrder());
  GradientStep step;
  step.wanted_ = std::move(wanted);
  step.FindOrder(graph, first_gradient, all);
  const std::vector<bool> behind_flow =
      FindBehind(graph, all, [](const Node& node) { return node.op->traits.control_flow != ControlFlowKind::kNone; });
  step.FindTriggers(graph, behind_flow);
  step.FindRepeatable(graph, behind_flow);
  return step;
}

void GradientStep::FindOrder(const Graph& graph, NodeId first_gradient, std::span<const NodeId> all) {
  AncestorWalk walk(graph);
  for (const Output output : wanted_) walk.Add(output.node);
  while (const Node* node = walk.Next()) walk.AddSources(*node);
  // The name by which a differentiation begins (src/autodiff/differentiation.cc).
  const std::vector<bool> is_late = FindBehind(graph, all, [&](const Node& node) {
    return node.id >= first_gradient && node.name.find("/grad_ys_") != std::string::npos;
  });
  place_.assign(static_cast<size_t>(graph.num_nodes()), -1);
  for (const bool late : {false, true}) {
    if (late) num_early_ = order_.size();
    for (const NodeId id : all) {
      if (!walk.added()[static_cast<size_t>(id)] || is_late[static_cast<size_t>(id)] != late) continue;
      place_[static_cast<size_t>(id)] = static_cast<int32_t>(order_.size());
      order_.push_back(id);
    }
  }
}

void GradientStep::FindTriggers(const Graph& graph, const std::vector<bool>& behind_flow) {
  triggers_.assign(static_cast<size_t>(graph.num_nodes()), -1);
  // Values that constants alone determine are computed before the step.
  const std::vector<bool> varies = FindBehind(graph, order_, [](const Node& node) {
    return node.op->is_stateful || node.op->traits.boundary != Boundary::kNone ||
           node.op->name.starts_with("Placeholder");
  });
  may_be_awaited_.assign(triggers_.size(), false);
  for (size_t place = num_early_; place < order_.size(); ++place) {
    const auto id = static_cast<size_t>(order_[place]);
    may_be_awaited_[id] = varies[id] && !behind_flow[id];
  }
  for (size_t place = num_early_; place < order_.size(); ++place) {
    const Node& node = graph.node(order_[place]);
    NodeId& trigger = triggers_[static_cast<size_t>(node.id)];
    const auto offer = [&](NodeId source) {
      if (source < 0 || !MayBeAwaited(source)) return;
      if (trigger < 0 || PlaceOf(source) > PlaceOf(trigger)) trigger = source;
    };
    for (const Output input : node.inputs) offer(input.node);
    for (const NodeId source : node.control_inputs) offer(source);
  }
}

void GradientStep::FindRepeatable(const Graph& graph, const std::vector<bool>& behind_flow) {
  may_recompute_.assign(static_cast<size_t>(graph.num_nodes()), false);
  const std::vector<bool> changed = FindChanged(graph);
  for (size_t place = 0; place < num_early_; ++place) {
    const Node& node = graph.node(order_[place]);
    const bool reads_settled = std::all_of(node.inputs.begin(), node.inputs.end(), [&](Output input) {
      if (!input.valid()) return false;
      if (!graph.is_ref(input)) return true;
      return IsVariable(graph.node(input.node)) && !changed[static_cast<size_t>(input.node)];
    });
    may_recompute_[static_cast<size_t>(node.id)] =
        reads_settled && IsPure(node) && !behind_flow[static_cast<size_t>(node.id)];
  }
}

}  // namespace dfrun
