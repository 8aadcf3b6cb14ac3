#include "src/passes/fusion.h"

#include <algorithm>
#include <unordered_map>

#include "src/passes/graph_rebuilder.h"

namespace dfrun {
namespace {

// Shapes known of the node in whose place `made` is: what they were computed from may be on another device by now.
void KeepShapes(const Node& last, Node& made) {
  const size_t shared = std::min(last.output_types.size(), made.output_types.size());
  for (size_t i = 0; i < shared; ++i) {
    const bool is_same = last.output_types[i].dtype == made.output_types[i].dtype;
    if (is_same && !made.output_shapes[i].IsFullyDefined()) made.output_shapes[i] = last.output_shapes[i];
  }
}

Status AddFused(const Graph& graph, const Fusion& fusion, GraphRebuilder& rebuilder) {
  const Node& last = graph.node(fusion.last);
  NodeSpec spec = PlacedAs(last);
  spec.name = last.name;
  spec.op = fusion.op;
  for (Output input : fusion.inputs) spec.inputs.push_back(rebuilder.NewPlace(input));
  for (NodeId gone : fusion.gone) rebuilder.AddControls(graph.node(gone).control_inputs, spec.control_inputs);
  rebuilder.AddControls(last.control_inputs, spec.control_inputs);
  spec.attrs = fusion.attrs;
  DF_ASSIGN(const NodeId made, rebuilder.to().AddNode(std::move(spec)));
  KeepShapes(last, rebuilder.to().mutable_node(made));
  rebuilder.MergeInto(last.id, made);
  if (fusion.second >= 0) {
    rebuilder.Replace({fusion.second, 0}, {made, 1});
    rebuilder.ReplaceControl(fusion.second, made);
  }
  return Status();
}

// Of what a fused node reads, what may stand anywhere and comes later.
void KeepSources(const Graph& graph, const Fusion& fusion, GraphRebuilder& rebuilder) {
  for (Output input : fusion.inputs) {
    const Node& node = graph.node(input.node);
    const bool is_source = node.inputs.empty() && node.control_inputs.empty();
    if (is_source && rebuilder.NewNode(node.id) < 0) rebuilder.Keep(node.id);
  }
}

}  // namespace

const Node* FusionView::OnlyReader(const Node& node, int input) const {
  const std::span<const Consumers::Edge> readers = consumers_.of(node.id);
  if (node.num_outputs() != 1 || readers.size() != 1 || readers[0].port != 0) return nullptr;
  const Node& reader = graph_.node(readers[0].node);
  const bool fits = input < reader.num_inputs() && reader.inputs[input].node == node.id &&
                    reader.control_inputs.empty() && DeviceOf(reader) == DeviceOf(node);
  return fits ? &reader : nullptr;
}

bool FusionView::HasOneReader(const Node& node) const {
  int readers = 0;
  for (const Consumers::Edge& edge : consumers_.of(node.id)) {
    if (edge.port < 0) continue;
    if (++readers > 1 || !OnOneDevice(node, graph_.node(edge.node))) return false;
  }
  return readers == 1 && node.num_outputs() == 1;
}

bool FusionView::IsAwaited(const Node& node) const {
  const std::span<const Consumers::Edge> readers = consumers_.of(node.id);
  return std::any_of(readers.begin(), readers.end(), [](const Consumers::Edge& edge) { return edge.port < 0; });
}

// The constraint of the node that stands at the end of its chain of colocations.
const std::string& FusionView::DeviceOf(const Node& node) const {
  const Node* at = &node;
  for (int steps = 0; at->device.empty() && !at->colocate_with.empty() && steps < graph_.num_nodes(); ++steps) {
    const NodeId next = graph_.Find(at->colocate_with);
    if (next < 0) break;
    at = &graph_.node(next);
  }
  return at->device;
}

bool HasChannelsLast(const Node& node) {
  const AttrValue* format = node.attrs.Find("data_format");
  return format != nullptr && format->get<std::string>() != nullptr && *format->get<std::string>() == "NHWC";
}

int64_t LastInt(const Tensor& vector) {
  const int64_t i = vector.num_elements() - 1;
  return vector.dtype() == DType::kInt64 ? vector.data<int64_t>()[i] : vector.data<int32_t>()[i];
}

bool IsSet(const Node& node, std::string_view attr) {
  const AttrValue* value = node.attrs.Find(attr);
  return value != nullptr && value->get<bool>() != nullptr && *value->get<bool>();
}

void CopyAttrs(const Node& from, std::initializer_list<const char*> names, std::string_view prefix, AttrMap& to) {
  for (const char* name : names) {
    if (const AttrValue* value = from.attrs.Find(name)) to.Set(StrCat(prefix, name), *value);
  }
}

Status FuseNodes(Graph& graph, const std::function<std::optional<Fusion>(const FusionView&, const Node&)>& rule) {
  const FusionView view(graph);
  std::vector<bool> gone(static_cast<size_t>(graph.num_nodes()), false);
  std::unordered_map<NodeId, Fusion> fusions;  // by their last node
  std::vector<bool> is_second(gone.size(), false);
  for (const Node& node : graph.nodes()) {
    std::optional<Fusion> found = rule(view, node);
    if (!found) continue;
    for (NodeId id : found->gone) gone[static_cast<size_t>(id)] = true;
    if (found->second >= 0) is_second[static_cast<size_t>(found->second)] = true;
    const NodeId last = found->last;
    fusions.emplace(last, *std::move(found));
  }
  if (fusions.empty()) return Status();
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  GraphRebuilder rebuilder(graph);
  for (NodeId id : order) {
    if (is_second[static_cast<size_t>(id)] || rebuilder.NewNode(id) >= 0) continue;
    if (gone[static_cast<size_t>(id)]) {
      if (view.IsAwaited(graph.node(id))) DF_TRY(rebuilder.AddAwaited(id).status());
      continue;
    }
    if (auto fusion = fusions.find(id); fusion != fusions.end()) {
      KeepSources(graph, fusion->second, rebuilder);
      DF_TRY(AddFused(graph, fusion->second, rebuilder));
    } else {
      rebuilder.Keep(id);
    }
  }
  DF_ASSIGN(graph, rebuilder.Finish());
  return Status();
}

}  // namespace dfrun
