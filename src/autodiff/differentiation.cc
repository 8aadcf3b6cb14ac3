#include "src/autodiff/differentiation.h"

#include <algorithm>
#include <utility>

#include "src/autodiff/gradient_rule.h"
#include "src/autodiff/gradient_sum.h"
#include "src/autodiff/node_gradient.h"

namespace dfrun {

Differentiation::Differentiation(Graph& graph, std::span<const Output> ys, std::span<const Output> xs,
                                 const GradientOptions& options, std::string scope)
    : graph_(graph),
      ys_(ys),
      xs_(xs),
      options_(options),
      scope_(std::move(scope)),
      dependency_(graph, ys, xs),
      parts_(dependency_.num_values()) {}

Result<std::vector<GradientValue>> Differentiation::Run() {
  DF_ASSIGN(const std::vector<NodeId> order, graph_.TopologicalOrder());
  DF_ASSIGN(FrameTree frames, BuildFrameTree(graph_));
  if (frames.frames.size() > 1) consumers_ = graph_.BuildConsumers();
  forward_ = std::make_unique<ForwardGraph>(graph_, std::move(frames), order);
  DF_TRY(CheckFrames());
  loops_.resize(forward_->frames.frames.size());
  FrameGradient root{GradientScope(graph_, *forward_, {scope_, options_.swap_memory}), {}};
  DF_TRY(Seed());
  DF_TRY(Walk(root, 0));
  std::vector<GradientValue> gradients;
  for (Output x : xs_) {
    const std::vector<GradientValue>& parts = PartsOf(x);
    gradients.push_back(parts.empty() ? GradientValue() : parts[0]);
  }
  return gradients;
}

Status Differentiation::CheckFrames() const {
  const auto check = [&](std::string_view what, Output value) {
    if (forward_->frames.of_outputs[value.node] <= 0) return Status();
    return Unimplemented(graph_.Describe(value.node), ": a gradient's ", what, " lies inside of the loop '",
                         forward_->frames.frames[forward_->frames.of_outputs[value.node]].name,
                         "', where it has a value an iteration; let it leave the loop by an Exit, or enter it");
  };
  for (Output x : xs_) DF_TRY(check("x", x));
  for (Output y : ys_) DF_TRY(check("y", y));
  return Status();
}

Status Differentiation::Seed() {
  for (size_t k = 0; k < ys_.size(); ++k) {
    const Output y = ys_[k];
    if (!dependency_.DependsOnX(y)) continue;
    const bool given = k < options_.grad_ys.size() && options_.grad_ys[k].valid();
    NodeAdder adder(graph_, StrCat(scope_, "/grad_ys_", k, "/"), graph_.node(y.node).name);
    const Output seed = given ? options_.grad_ys[k] : Ones(adder, y);
    DF_TRY(adder.status());
    PartsOf(y).push_back(GradientValue::Dense(seed));
  }
  return Status();
}

Output Differentiation::Ones(NodeAdder& adder, Output y) const {
  if (graph_.shape(y).rank() == 0) return adder.Scalar(graph_.dtype(y), 1);
  return adder.Add("OnesLike", {y});
}

NodeAdder Differentiation::AdderFor(FrameGradient& current, NodeId node, std::string colocate_with) const {
  return NodeAdder(graph_, GradientPrefix(scope_, graph_.node(node).name), std::move(colocate_with), &current.scope);
}

Status Differentiation::AddPart(FrameGradient& current, Output value, GradientValue part, BranchId from) {
  if (!dependency_.DependsOnX(value)) return Status();
  const bool is_captured = !current.scope.is_root() && forward_->frames.of_outputs[value.node] == FrameTree::kAny;
  const BranchId to = is_captured ? 0 : forward_->branches.Of(value);
  DF_ASSIGN(part, Lift(current, part, from, to, value));
  if (!is_captured) {
    PartsOf(value).push_back(part);
    return Status();
  }
  auto it = std::find_if(current.captured.begin(), current.captured.end(),
                         [&](const Captured& captured) { return captured.value == value; });
  if (it == current.captured.end()) it = current.captured.insert(it, {value, {}});
  it->parts.push_back(part);
  return Status();
}

Result<GradientValue> Differentiation::Sum(FrameGradient& current, std::vector<GradientValue>& parts, Output value) {
  NodeAdder adder = AdderFor(current, value.node, parts.empty() ? "" : SiteOf(graph_, parts[0]));
  const GradientValue sum = SumGradients(graph_, adder, parts, value);
  DF_TRY(adder.status().Annotate(StrCat("adding up the gradients of ", graph_.Describe(value.node))));
  if (parts.size() > 1) parts = {sum};
  return sum;
}

Result<std::vector<GradientValue>> Differentiation::SumOutputs(FrameGradient& current, NodeId id) {
  std::vector<GradientValue> sums;
  for (int port = 0; port < graph_.node(id).num_outputs(); ++port) {
    DF_ASSIGN(const GradientValue sum, Sum(current, PartsOf({id, port}), {id, port}));
    sums.push_back(sum);
  }
  return sums;
}

Status Differentiation::Walk(FrameGradient& current, int32_t frame) {
  const std::vector<FlowUnit>& units = forward_->units[frame];
  for (auto it = units.rbegin(); it != units.rend(); ++it) {
    if (it->loop >= 0) {
      DF_TRY(VisitLoop(current, it->loop));
    } else if (dependency_.IsBetween(it->node)) {
      DF_TRY(Visit(current, it->node));
    }
  }
  return Status();
}

// Sums the gradients that reached the node, all of whose readers have been visited, and passes the sum on.
Status Differentiation::Visit(FrameGradient& current, NodeId id) {
  const Node& node = graph_.node(id);
  const ControlFlowKind kind = node.op->traits.control_flow;
  const bool is_of_loop = kind == ControlFlowKind::kExit || kind == ControlFlowKind::kNextIteration ||
                          (kind == ControlFlowKind::kMerge && IsLoopMerge(graph_, node));
  if (is_of_loop) return Status();  // VisitLoop() sees to them
  DF_ASSIGN(std::vector<GradientValue> dys, SumOutputs(current, id));
  if (IsStackPop(node)) return VisitPop(current, id, dys[0]);
  if (IsStackPush(node)) return VisitPush(current, id, dys[0]);
  const bool reached = std::any_of(dys.begin(), dys.end(), [](const GradientValue& dy) { return dy.exists; });
  if (!reached || !dependency_.IsPassedThrough(id)) return Status();
  switch (kind) {
    case ControlFlowKind::kSwitch:
      return VisitSwitch(current, id, dys).Annotate(StrCat("adding the gradient of ", graph_.Describe(id)));
    case ControlFlowKind::kMerge:
      return VisitMerge(current, id, dys[0]).Annotate(StrCat("adding the gradient of ", graph_.Describe(id)));
    case ControlFlowKind::kEnter:
      return AddPart(current, node.inputs[0], dys[0], forward_->branches.OfNode(id));
    default:
      return VisitOp(current, id, std::move(dys));
  }
}

Result<const OpDef*> Differentiation::RuleOf(NodeId id) const {
  const Node& node = graph_.node(id);
  const OpDef* rule = GradientRule(graph_, node);
  if (rule == nullptr && node.op->gradient) {
    return InvalidArgument(
        graph_.Describe(id), " has a gradient of its own, '", NamedGradient(node),
        "' (attr _gradient_op_type), which is known where the graph was made, or is a function of its "
        "library, but is no op; it is needed on the path ",
        dependency_.PathThrough(id),
        "; take the gradient there, or by a SymbolicGradient of the function, or remove the attr for "
        "the gradient of ",
        node.op->name);
  }
  if (rule == nullptr || !rule->gradient) {
    return InvalidArgument(graph_.Describe(id), ": op ", rule == nullptr ? node.op->name : rule->name,
                           " has no gradient; it is needed on the path ", dependency_.PathThrough(id),
                           "; StopGradient ends a path that is not meant");
  }
  return rule;
}

Status Differentiation::Refuse(NodeId id, const std::vector<bool>& reached,
                               FunctionRef<bool(int input, int output)> is_so) const {
  const Node& node = graph_.node(id);
  const OpDef& rule = *GradientRule(graph_, node);
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (!node.inputs[i].valid() || !dependency_.DependsOnX(node.inputs[i])) continue;
    for (int port = 0; port < node.num_outputs(); ++port) {
      if (!reached[static_cast<size_t>(port)] || !is_so(i, port)) continue;
      const int input = ArgOf(rule.inputs, node.attrs, i);
      const int output = ArgOf(rule.outputs, node.attrs, port);
      return InvalidArgument(graph_.Describe(id), ": the gradient of ", rule.name, " gives none of its output '",
                             output < 0 ? StrCat(port) : rule.outputs[static_cast<size_t>(output)].name,
                             "' for its input '", input < 0 ? StrCat(i) : rule.inputs[static_cast<size_t>(input)].name,
                             "'; it is needed on the path ", dependency_.PathThrough(id, node.inputs[i].node),
                             "; StopGradient ends a path that is not meant");
    }
  }
  return Status();
}

Status Differentiation::VisitOp(FrameGradient& current, NodeId id, std::vector<GradientValue> dys) {
  const Node& node = graph_.node(id);
  DF_ASSIGN(const OpDef* rule, RuleOf(id));
  std::vector<bool> reached;
  for (const GradientValue& dy : dys) reached.push_back(dy.exists);
  const auto has_flow = [&](GradientFlow flow, int input, int output) {
    return FlowThrough(graph_, graph_.node(id), input, output) == flow;
  };
  DF_TRY(Refuse(id, reached, [&](int input, int output) { return has_flow(GradientFlow::kNone, input, output); }));
  DF_ASSIGN(AttrMap attrs, AttrsForRule(graph_, node, *rule));
  NodeGradient builder(graph_, id, scope_, std::move(dys), std::move(attrs), &current.scope);
  rule->gradient(builder);
  DF_TRY(builder.status().Annotate(StrCat("adding the gradient of ", graph_.Describe(id))));
  DF_TRY(Refuse(id, reached, [&](int input, int output) {
    return has_flow(GradientFlow::kFlows, input, output) && !(builder.is_given(input) && builder.is_used(output));
  }));
  for (int i = 0; i < builder.num_inputs(); ++i) {
    if (!builder.dxs()[i].exists) continue;
    DF_TRY(AddPart(current, builder.x(i), builder.dxs()[i], forward_->branches.OfNode(id)));
  }
  return Status();
}

}  // namespace dfrun
