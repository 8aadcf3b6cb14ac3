#include "src/passes/fusion.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "src/base/sort_unique.h"
#include "src/graph/order/node_order.h"
#include "src/passes/graph_rebuilder.h"

namespace dfrun {
namespace {

// Finds fusions, the last nodes first.
std::vector<Fusion> FindFusions(const FusionView& view, std::span<const NodeId> order, const FusionRule& rule) {
  std::vector<Fusion> fusions;
  std::vector<bool> is_taken(order.size(), false);
  for (size_t i = order.size(); i-- > 0;) {
    if (is_taken[static_cast<size_t>(order[i])]) continue;
    std::optional<Fusion> found = rule(view, view.node(order[i]));
    if (!found) continue;
    std::vector<NodeId> nodes = found->removed;
    nodes.push_back(found->last);
    if (found->second >= 0) nodes.push_back(found->second);
    if (std::any_of(nodes.begin(), nodes.end(), [&](NodeId id) { return is_taken[static_cast<size_t>(id)]; })) continue;
    for (NodeId id : nodes) is_taken[static_cast<size_t>(id)] = true;
    fusions.push_back(*std::move(found));
  }
  return fusions;
}

// The removed node whose end tells others that a variable has been read; -1: none.
NodeId AwaitedRead(const FusionView& view, const Fusion& fusion) {
  const auto found = std::find_if(fusion.removed.begin(), fusion.removed.end(), [&](NodeId id) {
    return view.IsAwaited(view.node(id)) && ReadsRef(view.graph(), view.node(id));
  });
  return found == fusion.removed.end() ? -1 : *found;
}

// The control inputs of the fused node, beside those of `read`.
std::vector<NodeId> OtherSources(const Graph& graph, const Fusion& fusion, NodeId read) {
  std::vector<NodeId> sources = graph.node(fusion.last).control_inputs;
  for (NodeId id : fusion.removed) {
    const std::vector<NodeId>& controls = graph.node(id).control_inputs;
    if (id != read) sources.insert(sources.end(), controls.begin(), controls.end());
  }
  const std::vector<Output>& known = graph.node(read).inputs;
  for (Output input : fusion.inputs) {
    if (std::find(known.begin(), known.end(), input) == known.end()) sources.push_back(input.node);
  }
  return sources;
}

void Replace(std::vector<NodeId>& ids, NodeId old, NodeId made) {
  std::replace(ids.begin(), ids.end(), old, made);
  SortUnique(ids);
}

// Moves control edges from reads[i], a node of fusions[which[i]], to the fused node. Where the fused node would then
// wait for itself, the fusion's last node becomes -1. Several fusions are checked at a time: each adds a path from its
// inputs to the nodes that wait for it. A further fused node is on no new path but its own, if its sources come after
// no moved read that its own read does not come after.
Status MoveWaiters(Graph& graph, std::span<const NodeId> reads, std::span<const size_t> which,
                   std::vector<Fusion>& fusions) {
  DF_ASSIGN(const std::vector<NodeId> order, PartitionOrder(graph));
  const NodeOrder node_order(graph, order, reads, NodeOrder::Ways::kPossible);
  const Consumers consumers = graph.BuildConsumers();
  uint64_t moved = 0;
  for (size_t i = 0; i < reads.size(); ++i) {
    Fusion& fusion = fusions[which[i]];
    const uint64_t own = uint64_t{1} << i;
    const uint64_t wrong = own | (moved & ~node_order.After(reads[i]));
    const std::vector<NodeId> sources = OtherSources(graph, fusion, reads[i]);
    if (std::any_of(sources.begin(), sources.end(), [&](NodeId id) { return (node_order.After(id) & wrong) != 0; })) {
      fusion.last = -1;
      continue;
    }
    moved |= own;
    for (const Consumers::Edge& edge : consumers.of(reads[i])) {
      if (edge.port < 0) Replace(graph.mutable_node(edge.node).control_inputs, reads[i], fusion.last);
    }
  }
  return Status();
}

// Makes control edges such that the fusions that are left can be made.
Status PrepareWaiters(Graph& graph, std::vector<Fusion>& fusions) {
  std::vector<NodeId> reads;
  std::vector<size_t> which;
  {
    const FusionView view(graph);
    for (size_t i = 0; i < fusions.size(); ++i) {
      const NodeId read = AwaitedRead(view, fusions[i]);
      if (read < 0) continue;
      reads.push_back(read);
      which.push_back(i);
    }
  }
  for (size_t first = 0; first < reads.size(); first += NodeOrder::kMax) {
    const size_t count = std::min(NodeOrder::kMax, reads.size() - first);
    DF_TRY(MoveWaiters(graph, std::span(reads).subspan(first, count), std::span(which).subspan(first, count), fusions));
  }
  std::erase_if(fusions, [](const Fusion& fusion) { return fusion.last < 0; });
  return Status();
}

// Keeps the known shapes of the node that `made` replaces: their sources may be on another device by now.
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
  for (Output input : fusion.inputs) {
    spec.inputs.push_back(rebuilder.NewOutput(input));
  }
  for (NodeId removed : fusion.removed) rebuilder.AddControls(graph.node(removed).control_inputs, spec.control_inputs);
  rebuilder.AddControls(last.control_inputs, spec.control_inputs);
  SortUnique(spec.control_inputs);
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

Result<Graph> Rebuild(Graph& graph, const std::vector<Fusion>& fusions) {
  const FusionView view(graph);
  std::vector<bool> is_removed(static_cast<size_t>(graph.num_nodes()), false);
  std::unordered_map<NodeId, const Fusion*> by_last;
  for (const Fusion& fusion : fusions) {
    by_last.emplace(fusion.last, &fusion);
    for (NodeId id : fusion.removed) is_removed[static_cast<size_t>(id)] = true;
  }
  std::vector<bool> is_second(is_removed.size(), false);
  for (const Fusion& fusion : fusions) {
    if (fusion.second >= 0) is_second[static_cast<size_t>(fusion.second)] = true;
  }
  DF_ASSIGN(const std::vector<NodeId> order, PartitionOrder(graph));
  GraphRebuilder rebuilder = GraphRebuilder::Taking(graph);
  for (NodeId id : order) {
    if (is_second[static_cast<size_t>(id)]) continue;
    if (is_removed[static_cast<size_t>(id)]) {
      if (view.IsAwaited(graph.node(id))) DF_TRY(rebuilder.AddAwaited(id).status());
    } else if (const auto fusion = by_last.find(id); fusion != by_last.end()) {
      DF_TRY(AddFused(graph, *fusion->second, rebuilder));
    } else {
      rebuilder.Keep(id);
    }
  }
  return rebuilder.Finish();
}

}  // namespace

bool FusionView::HasOneReader(const Node& node) const {
  const std::span<const Consumers::Edge> readers = consumers_.of(node.id);
  const auto reads = [](const Consumers::Edge& edge) { return edge.port >= 0; };
  return node.num_outputs() == 1 && std::count_if(readers.begin(), readers.end(), reads) == 1;
}

bool FusionView::IsAwaited(const Node& node) const {
  const std::span<const Consumers::Edge> readers = consumers_.of(node.id);
  return std::any_of(readers.begin(), readers.end(), [](const Consumers::Edge& edge) { return edge.port < 0; });
}

bool ReadsRef(const Graph& graph, const Node& node) {
  return std::any_of(node.inputs.begin(), node.inputs.end(),
                     [&](Output input) { return input.valid() && graph.is_ref(input); });
}

bool HasChannelsLast(const Node& node) {
  const AttrValue* format = node.attrs.Find("data_format");
  return format != nullptr && format->get<std::string>() != nullptr && *format->get<std::string>() == "NHWC";
}

bool IsOfFloats(const Node& node) {
  if (node.output_types.empty()) return false;
  return node.output_types[0].dtype == DType::kFloat || node.output_types[0].dtype == DType::kDouble;
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

Status FuseNodes(Graph& graph, const FusionRule& rule) {
  DF_ASSIGN(const std::vector<NodeId> order, PartitionOrder(graph));
  std::vector<Fusion> fusions = FindFusions(FusionView(graph), order, rule);
  DF_TRY(PrepareWaiters(graph, fusions));
  if (fusions.empty()) return Status();
  DF_ASSIGN(graph, Rebuild(graph, fusions));
  return Status();
}

}  // namespace dfrun
