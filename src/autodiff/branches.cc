#include "src/autodiff/branches.h"

#include <algorithm>
#include <iterator>

namespace dfrun {

bool IsLoopSwitch(const Graph& graph, const Node& node) {
  return node.op->traits.control_flow == ControlFlowKind::kSwitch &&
         graph.node(node.inputs[1].node).op->traits.control_flow == ControlFlowKind::kLoopCond;
}

bool IsLoopMerge(const Graph& graph, const Node& node) {
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (graph.IsBackEdge(node, i)) return true;
  }
  return false;
}

Branches::Branches(const Graph& graph, const FrameTree& frames, std::span<const NodeId> order)
    : graph_(graph), frames_(frames), of_node_(static_cast<size_t>(graph.num_nodes())), of_loop_(frames.frames.size()) {
  Intern({});
  for (NodeId id : order) Visit(graph.node(id));
}

BranchId Branches::Of(Output value) const {
  const auto it = of_switch_.find(value.node);
  if (it != of_switch_.end()) return value.port == 0 ? it->second.first : it->second.second;
  switch (graph_.node(value.node).op->traits.control_flow) {
    case ControlFlowKind::kEnter:
      return 0;
    case ControlFlowKind::kExit:
      return of_loop_[frames_.of_node[value.node]];
    default:
      return of_node_[value.node];
  }
}

BranchId Branches::With(BranchId branch, PathCondition literal) {
  Set literals = *sets_[branch];
  const auto it = std::lower_bound(literals.begin(), literals.end(), literal);
  if (it == literals.end() || !(*it == literal)) literals.insert(it, literal);
  return Intern(std::move(literals));
}

std::vector<Branches::PathCondition> Branches::Difference(BranchId outer, BranchId inner) const {
  Set beyond;
  std::set_difference(sets_[inner]->begin(), sets_[inner]->end(), sets_[outer]->begin(), sets_[outer]->end(),
                      std::back_inserter(beyond));
  return beyond;
}

BranchId Branches::Intern(Set literals) {
  const auto [it, is_new] = ids_.emplace(std::move(literals), static_cast<BranchId>(sets_.size()));
  if (is_new) sets_.push_back(&it->first);
  return it->second;
}

BranchId Branches::United(BranchId a, BranchId b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  Set both;
  std::set_union(sets_[a]->begin(), sets_[a]->end(), sets_[b]->begin(), sets_[b]->end(), std::back_inserter(both));
  return Intern(std::move(both));
}

BranchId Branches::OfInputs(const Node& node) {
  BranchId branch = 0;
  for (Output input : node.inputs) {
    if (input.valid()) branch = United(branch, Of(input));
  }
  for (NodeId id : node.control_inputs) {
    const bool is_switch = of_switch_.find(id) != of_switch_.end();  // a Switch has run, whichever output is alive
    branch = United(branch, is_switch ? of_node_[id] : Of({id, 0}));
  }
  return branch;
}

Output Branches::Same(Output pred) {
  const auto is_identity = [&](const Node& node) {
    return node.op->traits.passthrough == Passthrough::kFirstInput &&
           node.op->traits.control_flow == ControlFlowKind::kNone && !graph_.is_ref(node.inputs[0]);
  };
  while (is_identity(graph_.node(pred.node))) pred = graph_.node(pred.node).inputs[0];
  const Node& node = graph_.node(pred.node);
  if (node.op->traits.control_flow != ControlFlowKind::kEnter || !*node.attrs.Get<bool>("is_constant")) return pred;
  const Output source = node.inputs[0];
  return entered_.emplace(std::tuple(frames_.of_outputs[node.id], source.node, source.port), pred).first->second;
}

void Branches::Visit(const Node& node) {
  BranchId& branch = of_node_[node.id];
  switch (node.op->traits.control_flow) {
    case ControlFlowKind::kControlTrigger:
      return;
    case ControlFlowKind::kMerge:
      branch = OfMerge(node);
      return;
    case ControlFlowKind::kEnter: {
      branch = OfInputs(node);
      BranchId& loop = of_loop_[frames_.of_outputs[node.id]];
      loop = United(loop, branch);
      return;
    }
    case ControlFlowKind::kSwitch:
      branch = OfInputs(node);
      if (IsLoopSwitch(graph_, node)) return;
      of_switch_[node.id] = {With(branch, {Same(node.inputs[1]), false}), With(branch, {Same(node.inputs[1]), true})};
      return;
    default:
      branch = OfInputs(node);
  }
}

// Returns the branch of a Merge. The two sides of a conditional differ in one predicate alone; of other Merges only the
// common part of all inputs is known.
BranchId Branches::OfMerge(const Node& node) {
  if (IsLoopMerge(graph_, node)) return 0;
  Choice& choice = choices_[node.id];
  BranchId common = Of(node.inputs[0]);
  for (Output input : node.inputs) {
    Set both;
    const Set& other = *sets_[Of(input)];
    std::set_intersection(sets_[common]->begin(), sets_[common]->end(), other.begin(), other.end(),
                          std::back_inserter(both));
    common = Intern(std::move(both));
  }
  if (node.num_inputs() != 2) return common;
  const Set first = Difference(common, Of(node.inputs[0]));
  const Set second = Difference(common, Of(node.inputs[1]));
  if (first.size() == 1 && second.size() == 1 && first[0].pred == second[0].pred) {
    choice = {first[0].pred, {first[0].value, second[0].value}};
  }
  return common;
}

}  // namespace dfrun
