#include "src/passes/column_slices.h"

#include <algorithm>
#include <span>

namespace dfrun {
namespace {

// True where `part` has fewer columns and is as large as `whole` otherwise.
bool IsNarrower(const PartialShape& part, const PartialShape& whole) {
  return part.rank() == whole.rank() && std::equal(part.dims().begin(), part.dims().end() - 1, whole.dims().begin()) &&
         part.dims().back() < whole.dims().back();
}

// Of an integer vector.
int64_t LastOf(const Tensor& vector) {
  const int64_t i = vector.num_elements() - 1;
  return vector.dtype() == DType::kInt64 ? vector.data<int64_t>()[i] : vector.data<int32_t>()[i];
}

// What a node takes apart; invalid where it is no node that does.
Output WholeOf(const Node& node) {
  if (node.op->name == "Split") return node.inputs[1];
  if (node.op->name == "SplitV" || node.op->name == "Slice") return node.inputs[0];
  return {};
}

bool IsPlainIdentity(const Graph& graph, const Node& node) {
  return node.op->name == "Identity" && !graph.is_ref({node.id, 0}) && !graph.is_ref(node.inputs[0]);
}

// True where the value is no variable's, which could be written before it is read: what is taken apart mostly is a
// product.
bool IsProduct(const Graph& graph, Output value) {
  while (IsPlainIdentity(graph, graph.node(value.node))) value = graph.node(value.node).inputs[0];
  return graph.node(value.node).op->name.find("MatMul") != std::string::npos;
}

}  // namespace

ColumnSlices::ColumnSlices(const FusionView& view, const ElementGroups& groups, int64_t least_columns)
    : view_(view),
      graph_(view.graph()),
      groups_(groups),
      least_columns_(least_columns),
      is_gone_(static_cast<size_t>(graph_.num_nodes()), false) {
  for (const Node& node : graph_.nodes()) {
    if (WholeOf(node).valid()) LookAtSlice(node);
    if (node.op->name == "ConcatV2") LookAtJoin(node);
  }
}

bool ColumnSlices::IsWide(const PartialShape& shape) const {
  return shape.IsFullyDefined() && shape.rank() > 0 && shape.dims().back() >= least_columns_;
}

void ColumnSlices::LookAtSlice(const Node& node) {
  const Output whole = WholeOf(node);
  if (graph_.dtype(whole) != DType::kFloat || graph_.is_ref(whole) || !graph_.shape(whole).IsFullyDefined()) return;
  for (const PartialShape& part : node.output_shapes) {
    if (!IsWide(part) || !IsNarrower(part, graph_.shape(whole))) return;
  }
  if (node.op->name == "Slice" && graph_.ConstantValue(node.inputs[1]) == nullptr) return;
  if (OnlyGroupsRead(node)) DropWithIdentities(node);
}

bool ColumnSlices::OnlyGroupsRead(const Node& node) const {
  const auto readers = view_.consumers().of(node.id);
  return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](const Consumers::Edge& edge) {
    const Node& reader = graph_.node(edge.node);
    if (edge.port < 0) return MayWaitForWhole(node);
    if (!view_.OnOneDevice(node, reader)) return false;
    if (groups_.Of(edge.node) == nullptr) return IsPlainIdentity(graph_, reader) && OnlyGroupsRead(reader);
    return graph_.shape({node.id, edge.port}) == reader.output_shapes[0];
  });
}

bool ColumnSlices::MayWaitForWhole(const Node& node) const {
  const Output whole = WholeOf(node);
  return whole.valid() && IsProduct(graph_, whole) && node.control_inputs.empty();
}

void ColumnSlices::DropWithIdentities(const Node& node) {
  is_gone_[static_cast<size_t>(node.id)] = true;
  for (const Consumers::Edge& edge : view_.consumers().of(node.id)) {
    if (edge.port >= 0 && groups_.Of(edge.node) == nullptr) DropWithIdentities(graph_.node(edge.node));
  }
}

void ColumnSlices::LookAtJoin(const Node& node) {
  const auto parts = std::span(node.inputs).first(static_cast<size_t>(node.num_inputs()) - 1);
  if (!node.control_inputs.empty() || !IsWide(node.output_shapes[0])) return;
  const ElementGroup* const group = groups_.Of(parts[0].node);
  const bool is_of_one_group = group != nullptr && std::all_of(parts.begin(), parts.end(), [&](Output part) {
                                 return groups_.Of(part.node) == group && MayBeJoined(graph_.node(part.node), node);
                               });
  if (!is_of_one_group) return;
  for (Output part : parts) join_of_[part.node] = node.id;
  is_gone_[static_cast<size_t>(node.id)] = true;
}

// True where nothing but the join and its own group read the part, of which no other member is the value.
bool ColumnSlices::MayBeJoined(const Node& part, const Node& join) const {
  const PartialShape& shape = part.output_shapes[0];
  if (part.op->name == "Identity" || !IsWide(shape) || !IsNarrower(shape, join.output_shapes[0]) ||
      !view_.OnOneDevice(part, join)) {
    return false;
  }
  int reads_outside = 0;
  for (const Consumers::Edge& edge : view_.consumers().of(part.id)) {
    if (edge.port < 0) continue;
    if (graph_.node(edge.node).op->name == "Identity") return false;
    if (groups_.Of(edge.node) != groups_.Of(part.id)) ++reads_outside;
  }
  return reads_outside == 1;
}

bool ColumnSlices::IsSlice(NodeId id) const {
  return IsGone(id) && graph_.node(id).op->name != "ConcatV2";
}

std::optional<ColumnSlice> ColumnSlices::SliceOf(Output value) const {
  const Node& node = graph_.node(value.node);
  if (!IsSlice(value.node)) return std::nullopt;
  if (node.op->name == "Identity") return SliceOf(node.inputs[0]);
  const Output whole = WholeOf(node);
  if (node.op->name == "Slice") return ColumnSlice{whole, LastOf(*graph_.ConstantValue(node.inputs[1]))};
  int64_t first = 0;
  for (int32_t port = 0; port < value.port; ++port) first += graph_.shape({value.node, port}).dims().back();
  return ColumnSlice{whole, first};
}

std::vector<NodeId> ColumnSlices::GoneBefore(Output value) const {
  std::vector<NodeId> gone;
  while (IsSlice(value.node)) {
    gone.push_back(value.node);
    const Node& node = graph_.node(value.node);
    value = node.op->name == "Identity" ? node.inputs[0] : WholeOf(node);
  }
  return gone;
}

NodeId ColumnSlices::AwaitedFor(NodeId id) const {
  const Node& node = graph_.node(id);
  return MayWaitForWhole(node) ? WholeOf(node).node : -1;
}

const Node* ColumnSlices::JoinOf(NodeId member) const {
  const auto found = join_of_.find(member);
  return found == join_of_.end() ? nullptr : &graph_.node(found->second);
}

}  // namespace dfrun
