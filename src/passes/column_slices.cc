#include "src/passes/column_slices.h"

#include <algorithm>
#include <span>
#include <utility>

#include "src/base/sort_unique.h"

namespace dfrun {
namespace {

// True where `part` has fewer columns and is as large as `whole` otherwise.
bool IsNarrower(const PartialShape& part, const PartialShape& whole) {
  return part.rank() == whole.rank() && std::equal(part.dims().begin(), part.dims().end() - 1, whole.dims().begin()) &&
         part.dims().back() < whole.dims().back();
}

// Copies that one group makes for ConcatV2s: what the kernel has room for beside its members.
constexpr size_t kMostCopied = 32;

bool IsUnpack(const Node& node) {
  return node.op->name == "Unpack";
}

// What a node takes apart; invalid where it is no node that does.
Output WholeOf(const Node& node) {
  if (node.op->name == "Split") return node.inputs[1];
  if (node.op->name == "SplitV" || node.op->name == "Slice" || IsUnpack(node)) return node.inputs[0];
  return {};
}

bool IsPlainIdentity(const Graph& graph, const Node& node) {
  return node.op->name == "Identity" && !graph.is_ref({node.id, 0}) && !graph.is_ref(node.inputs[0]);
}

// True where the value is no variable's, which could be written before it is read: what is taken apart mostly is a
// product.
bool IsProduct(const Graph& graph, Output value) {
  while (IsPlainIdentity(graph, graph.node(value.node)) || graph.node(value.node).op->name == "Reshape") {
    value = graph.node(value.node).inputs[0];
  }
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
    if (node.op->name == "ConcatV2") LookAtJoin(node);
  }
  for (const Node& node : graph_.nodes()) {
    if (IsUnpack(node)) {
      LookAtUnpack(node);
    } else if (WholeOf(node).valid()) {
      LookAtSlice(node);
    }
  }
}

bool ColumnSlices::IsWide(const PartialShape& shape) const {
  return shape.IsFullyDefined() && shape.rank() > 0 && shape.dims().back() >= least_columns_;
}

bool ColumnSlices::CanTakeColumns(Output whole) const {
  return graph_.dtype(whole) == DType::kFloat && !graph_.is_ref(whole) && graph_.shape(whole).IsFullyDefined();
}

void ColumnSlices::LookAtSlice(const Node& node) {
  const Output whole = WholeOf(node);
  if (!CanTakeColumns(whole)) return;
  for (const PartialShape& part : node.output_shapes) {
    if (!IsWide(part) || !IsNarrower(part, graph_.shape(whole))) return;
  }
  if (node.op->name == "Slice" && graph_.ConstantValue(node.inputs[1]) == nullptr) return;
  if (OnlyGroupsRead(node)) DropWithIdentities(node);
}

// Along the last dimension but one: then values are columns of rows of all of them.
void ColumnSlices::LookAtUnpack(const Node& node) {
  const Output whole = WholeOf(node);
  if (!CanTakeColumns(whole) || node.num_outputs() == 0 || !IsWide(node.output_shapes[0])) return;
  const Result<int64_t> axis = node.attrs.Get<int64_t>("axis");
  const int rank = graph_.shape(whole).rank();
  if (!axis.ok() || (*axis < 0 ? *axis + rank : *axis) != rank - 2) return;
  const auto readers = view_.consumers().of(node.id);
  const bool is_awaited = std::any_of(readers.begin(), readers.end(), [](const auto& edge) { return edge.port < 0; });
  if (is_awaited && !MayWaitForWhole(node)) return;
  if (2 * ValuesOfOthers(node).size() <= static_cast<size_t>(node.num_outputs())) DropWithIdentities(node);
}

std::vector<int> ColumnSlices::ValuesOfOthers(const Node& node) const {
  std::vector<int> values;
  if (!IsUnpack(node)) return values;
  for (const Consumers::Edge& edge : view_.consumers().of(node.id)) {
    if (edge.port >= 0 && !IsGroupsEdge(node, edge)) values.push_back(edge.port);
  }
  SortUnique(values);
  return values;
}

bool ColumnSlices::OnlyGroupsRead(const Node& node) const {
  const auto readers = view_.consumers().of(node.id);
  return !readers.empty() && std::all_of(readers.begin(), readers.end(),
                                         [&](const Consumers::Edge& edge) { return IsGroupsEdge(node, edge); });
}

// True where what the edge leads to needs no copy of the value, or may wait for the whole instead of the node.
bool ColumnSlices::IsGroupsEdge(const Node& node, const Consumers::Edge& edge) const {
  if (edge.port < 0) return MayWaitForWhole(node);
  const Node& reader = graph_.node(edge.node);
  if (!view_.OnOneDevice(node, reader)) return false;
  if (IsGone(edge.node) && !IsSlice(edge.node)) return true;  // its group does
  if (groups_.Of(edge.node) == nullptr) return IsPlainIdentity(graph_, reader) && OnlyGroupsRead(reader);
  return graph_.shape({node.id, edge.port}) == reader.output_shapes[0];
}

bool ColumnSlices::MayWaitForWhole(const Node& node) const {
  const Output whole = WholeOf(node);
  return whole.valid() && IsProduct(graph_, whole) && node.control_inputs.empty();
}

void ColumnSlices::DropWithIdentities(const Node& node) {
  is_gone_[static_cast<size_t>(node.id)] = true;
  for (const Consumers::Edge& edge : view_.consumers().of(node.id)) {
    const Node& reader = graph_.node(edge.node);
    const bool is_on_the_way = edge.port >= 0 && groups_.Of(edge.node) == nullptr && !IsGone(edge.node);
    if (is_on_the_way && IsGroupsEdge(node, edge)) DropWithIdentities(reader);
  }
}

void ColumnSlices::LookAtJoin(const Node& node) {
  const ElementGroup* const group = MakerOf(node);
  if (group == nullptr) return;
  std::vector<ColumnJoin>& joins = joins_[group];
  size_t copied = 0;
  for (const ColumnJoin& join : joins) {
    copied += static_cast<size_t>(std::count_if(join.parts.begin(), join.parts.end(),
                                                [](const ColumnJoin::Part& part) { return part.is_copied; }));
  }
  ColumnJoin join{node.id, {}};
  for (Output value : std::span(node.inputs).first(static_cast<size_t>(node.num_inputs()) - 1)) {
    const bool is_copied = groups_.Of(value.node) != group || !IsForJoinAlone(graph_.node(value.node));
    copied += is_copied ? 1 : 0;
    join.parts.push_back({value, is_copied});
  }
  if (copied > kMostCopied) return;
  joins.push_back(std::move(join));
  is_gone_[static_cast<size_t>(node.id)] = true;
}

// The group that can make it: no column is a member's of another, unless it is there before.
const ElementGroup* ColumnSlices::MakerOf(const Node& join) const {
  if (!join.control_inputs.empty() || !IsWide(join.output_shapes[0])) return nullptr;
  const auto parts = std::span(join.inputs).first(static_cast<size_t>(join.num_inputs()) - 1);
  // The last in the graph's order, which others may be ready before.
  const ElementGroup* maker = nullptr;
  for (Output part : parts) {
    const ElementGroup* const group = groups_.Of(part.node);
    if (group != nullptr && (maker == nullptr || group->members[0] > maker->members[0])) maker = group;
  }
  if (maker == nullptr) return nullptr;
  const PartialShape& shape = graph_.node(maker->members[0]).output_shapes[0];
  if (!IsWide(shape) || !IsNarrower(shape, join.output_shapes[0])) return nullptr;
  size_t own = 0;
  for (Output part : parts) {
    const bool is_own = groups_.Of(part.node) == maker;
    own += is_own ? 1 : 0;
    if (!(graph_.shape(part) == shape) || graph_.is_ref(part) || !view_.OnOneDevice(graph_.node(part.node), join) ||
        (!is_own && !groups_.MayReadToo(*maker, part.node))) {
      return nullptr;
    }
  }
  return 2 * own >= parts.size() ? maker : nullptr;
}

// True where nothing but one ConcatV2 and its own group read the part, of which no other member is the value.
bool ColumnSlices::IsForJoinAlone(const Node& part) const {
  if (part.op->name == "Identity") return false;
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

std::optional<ColumnSlice> ColumnSlices::SliceOf(Output value, const Node& member) const {
  const Node& node = graph_.node(value.node);
  if (!IsSlice(value.node) || !view_.OnOneDevice(node, member)) return std::nullopt;
  if (node.op->name == "Identity") return SliceOf(node.inputs[0], member);
  const Output whole = WholeOf(node);
  if (node.op->name == "Slice") return ColumnSlice{whole, LastInt(*graph_.ConstantValue(node.inputs[1]))};
  if (IsUnpack(node)) return ColumnSlice{whole, value.port * graph_.shape(value).dims().back()};
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

std::span<const ColumnJoin> ColumnSlices::JoinsOf(const ElementGroup& group) const {
  const auto found = joins_.find(&group);
  return found == joins_.end() ? std::span<const ColumnJoin>() : found->second;
}

}  // namespace dfrun
