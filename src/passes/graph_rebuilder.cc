#include "src/passes/graph_rebuilder.h"

#include <utility>

#include "src/base/sort_unique.h"
#include "src/framework/device/device.h"

namespace dfrun {
namespace {

int64_t Key(Output value) {
  return (int64_t{value.node} << 32) | value.port;
}

Status MergeDevice(const std::string& constraint, std::string& into) {
  if (constraint.empty() || constraint == into) return Status();
  DF_ASSIGN(const DeviceName a, DeviceName::Parse(into));
  DF_ASSIGN(const DeviceName b, DeviceName::Parse(constraint));
  DF_ASSIGN(const DeviceName merged, a.Merge(b));
  into = merged.ToString();
  return Status();
}

}  // namespace

NodeSpec PlacedAs(const Node& node) {
  NodeSpec spec;
  spec.device = node.device;
  spec.colocate_with = node.colocate_with;
  spec.location = node.location;
  return spec;
}

GraphRebuilder::GraphRebuilder(const Graph& from)
    : from_(from),
      to_(from.ops()),
      nodes_(static_cast<size_t>(from.num_nodes()), kNone),
      control_(nodes_),
      is_replaced_(nodes_.size(), false) {
  to_.Reserve(from.num_nodes());
  to_.TakeLocations(from);
  to_.set_extras(from.extras());
}

GraphRebuilder GraphRebuilder::Taking(Graph& from) {
  GraphRebuilder rebuilder(from);
  rebuilder.taken_from_ = &from;
  return rebuilder;
}

NodeId GraphRebuilder::Keep(NodeId old) {
  Node node = taken_from_ == nullptr ? from_.node(old) : std::move(taken_from_->mutable_node(old));
  const NodeId made = to_.num_nodes();
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Output before = node.inputs[i];
    if (!before.valid()) continue;
    node.inputs[i] = NewOutput(before);
    if (!node.inputs[i].valid()) back_edges_.push_back({made, i, before});
  }
  std::vector<NodeId> control;
  AddControls(node.control_inputs, control);
  SortUnique(control);
  node.control_inputs = std::move(control);
  nodes_[old] = made;
  control_[old] = made;
  return to_.AddResolved(std::move(node));
}

void GraphRebuilder::AddControls(const std::vector<NodeId>& old, std::vector<NodeId>& to) const {
  for (NodeId id : old) {
    if (control_[id] != kNone) to.push_back(control_[id]);
  }
}

void GraphRebuilder::Replace(Output old, Output made) {
  is_replaced_[old.node] = true;
  replaced_[Key(old)] = made;
}

void GraphRebuilder::MergeInto(NodeId old, NodeId made) {
  nodes_[old] = made;
  control_[old] = made;
}

Result<NodeId> GraphRebuilder::AddAwaited(NodeId old) {
  const Node& removed = from_.node(old);
  NodeSpec spec = PlacedAs(removed);
  spec.name = to_.UniqueName(StrCat(removed.name, "/inputs"));
  spec.op = "NoOp";
  for (Output input : removed.inputs) spec.control_inputs.push_back(NewControl(input.node));
  std::erase(spec.control_inputs, kNone);
  AddControls(removed.control_inputs, spec.control_inputs);
  DF_ASSIGN(const NodeId made, to_.AddNode(std::move(spec)));
  ReplaceControl(old, made);
  return made;
}

Output GraphRebuilder::NewOutput(Output old) const {
  if (is_replaced_[old.node]) {
    if (auto it = replaced_.find(Key(old)); it != replaced_.end()) return it->second;
  }
  return nodes_[old.node] == kNone ? Output() : Output{nodes_[old.node], old.port};
}

// Follows the chain of removed nodes to the first kept one, or to the chain's end, for which the first node that
// reached it then stands.
Status GraphRebuilder::RepairColocation() {
  std::unordered_map<NodeId, NodeId> stands_for;  // end of a chain -> new node
  for (NodeId made = 0; made < to_.num_nodes(); ++made) {
    Node& node = to_.mutable_node(made);
    if (node.colocate_with.empty() || to_.Find(node.colocate_with) >= 0) continue;
    NodeId at = from_.Find(node.colocate_with);
    if (at < 0) continue;  // never was there: the placer says so
    for (int steps = 0; nodes_[at] == kNone && steps < from_.num_nodes(); ++steps) {
      DF_TRY(MergeDevice(from_.node(at).device, node.device).Annotate(to_.Describe(made)));
      const NodeId next = from_.Find(from_.node(at).colocate_with);
      if (next < 0) break;
      at = next;
    }
    const NodeId target = nodes_[at] != kNone ? nodes_[at] : stands_for.emplace(at, made).first->second;
    node.colocate_with = target == made ? "" : to_.node(target).name;
  }
  return Status();
}

Result<Graph> GraphRebuilder::Finish() {
  for (const BackEdge& edge : back_edges_) {
    const Output mapped = NewOutput(edge.old);
    DF_CHECK(mapped.valid());
    to_.mutable_node(edge.reader).inputs[edge.input] = mapped;
  }
  DF_TRY(RepairColocation());
  return std::move(to_);
}

}  // namespace dfrun
