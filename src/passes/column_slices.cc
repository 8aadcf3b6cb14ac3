#include "src/passes/column_slices.h"

#include <algorithm>

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

ColumnSlices::ColumnSlices(const FusionView& view, const Consumers& consumers, const ElementGroups& groups,
                           int64_t least_columns)
    : view_(view),
      graph_(view.graph()),
      consumers_(consumers),
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
  const auto readers = consumers_.of(node.id);
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
  for (const Consumers::Edge& edge : consumers_.of(node.id)) {
    if (edge.port >= 0 && groups_.Of(edge.node) == nullptr) DropWithIdentities(graph_.node(edge.node));
  }
}

void ColumnSlices::LookAtJoin(const Node& node) {
  const PartialShape& whole = node.output_shapes[0];
  const auto parts = static_cast<size_t>(node.num_inputs()) - 1;
  if (!node.control_inputs.empty() || !IsWide(whole)) return;
  const ElementGroup* const group = groups_.Of(node.inputs[0].node);
  if (group == nullptr) return;
  for (size_t i = 0; i < parts; ++i) {
    const Node& part = graph_.node(node.inputs[i].node);
    const PartialShape& shape = part.output_shapes[0];
    const auto readers = consumers_.of(part.id);
    const auto reads_outside = [&](const Consumers::Edge& edge) {
      return edge.port >= 0 && groups_.Of(edge.node) != group;
    };
    // It would be the same value of the group.
    const auto goes_on_as_identity = [&](const Consumers::Edge& edge) {
      return edge.port >= 0 && graph_.node(edge.node).op->name == "Identity";
    };
    if (groups_.Of(part.id) != group || part.op->name == "Identity" || !IsWide(shape) || !IsNarrower(shape, whole) ||
        !view_.OnOneDevice(part, node) || std::count_if(readers.begin(), readers.end(), reads_outside) != 1 ||
        std::any_of(readers.begin(), readers.end(), goes_on_as_identity)) {
      return;
    }
  }
  for (size_t i = 0; i < parts; ++i) join_of_[node.inputs[i].node] = node.id;
  is_gone_[static_cast<size_t>(node.id)] = true;
}

std::optional<ColumnSlice> ColumnSlices::SliceOf(Output value) const {
  const Node& node = graph_.node(value.node);
  if (!IsGone(value.node) || node.op->name == "ConcatV2") return std::nullopt;
  if (node.op->name == "Identity") return SliceOf(node.inputs[0]);
  const Output whole = WholeOf(node);
  if (node.op->name == "Slice") return ColumnSlice{whole, LastOf(*graph_.ConstantValue(node.inputs[1]))};
  int64_t first = 0;
  for (int32_t port = 0; port < value.port; ++port) first += graph_.shape({value.node, port}).dims().back();
  return ColumnSlice{whole, first};
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
