#include "src/passes/functions/graph_copy.h"

#include <algorithm>

#include "src/graph/colocation.h"
#include "src/graph/control_flow.h"

namespace dfrun {

Status GraphCopy::Add() {
  nodes_.assign(static_cast<size_t>(from_.num_nodes()), -1);
  outputs_.resize(nodes_.size());
  for (size_t i = 0; i < arguments_.size(); ++i) {
    nodes_[i] = arguments_[i].output.node;
    outputs_[i] = {arguments_[i]};
  }
  DF_ASSIGN(const std::vector<NodeId> order, from_.TopologicalOrder());
  for (NodeId id : order) {
    if (!IsArgument(id)) DF_TRY(AddNode(from_.node(id)));
  }
  for (const BackEdge& edge : back_edges_) {
    DF_TRY(inliner_.to().SetInput(edge.reader, edge.input, Copied(edge.from).output));
  }
  return Status();
}

SiteValue GraphCopy::Copied(Output value) const {
  return outputs_[static_cast<size_t>(value.node)][static_cast<size_t>(value.port)];
}

Status GraphCopy::AddNode(const Node& node) {
  NodeSpec spec;
  spec.name = inliner_.UniqueName(node.name);
  spec.op = node.op->name;
  spec.attrs = AttrsOf(node);
  spec.device = node.device;
  spec.location = node.location;
  if (!node.colocate_with.empty()) spec.colocate_with = NameOf(node.colocate_with);
  DF_TRY(inliner_.CountInputs(node.inputs.size()));
  std::vector<SiteValue> inputs;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const bool is_back = from_.IsBackEdge(node, i);
    if (is_back) back_edges_.push_back({inliner_.to().num_nodes(), i, node.inputs[i]});
    inputs.push_back(is_back ? SiteValue{} : Copied(node.inputs[i]));
  }
  DF_ASSIGN(bool is_anchored, AddControls(node, spec.control_inputs));
  const bool enters = ControlFlowKindOf(spec.op) == ControlFlowKind::kEnter;
  if (enters && !is_anchored && !inputs.empty() && inputs[0].floats) {
    // Nodes inside of the loop cannot be tied to nodes outside, so the Enter is.
    spec.control_inputs.insert(spec.control_inputs.end(), site_.ties.begin(), site_.ties.end());
    is_anchored = true;
  }
  DF_ASSIGN(Inlined made, inliner_.AddNode(std::move(spec), inputs, is_anchored, site_));
  nodes_[static_cast<size_t>(node.id)] = made.effects[0];
  outputs_[static_cast<size_t>(node.id)] = std::move(made.outputs);
  return Status();
}

// Returns true where one of them comes after the ties.
Result<bool> GraphCopy::AddControls(const Node& node, std::vector<NodeId>& controls) {
  bool is_anchored = false;
  for (NodeId before : node.control_inputs) {
    const auto& outputs = outputs_[static_cast<size_t>(before)];
    is_anchored |= outputs.empty() || !outputs[0].floats;
    NodeId now = CopiedNode(before);
    if (IsArgument(before)) {
      DF_ASSIGN(now, inliner_.NodeOf(outputs[0], site_));
    }
    controls.push_back(now);
  }
  return is_anchored;
}

std::string GraphCopy::NameOf(const std::string& name) const {
  const NodeId old = from_.Find(name);
  const NodeId now = old < 0 ? -1 : CopiedNode(old);
  return now < 0 ? name : inliner_.to().node(now).name;
}

AttrMap GraphCopy::AttrsOf(const Node& node) const {
  if (!node.attrs.Has(kClassAttr)) return node.attrs;
  AttrMap attrs = node.attrs;
  std::vector<std::string> classes;
  for (std::string_view name : ColocationNames(attrs)) classes.push_back(ColocationEntry(NameOf(std::string(name))));
  attrs.Set(kClassAttr, std::move(classes));
  return attrs;
}

}  // namespace dfrun
