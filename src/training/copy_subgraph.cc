#include "src/training/copy_subgraph.h"

#include <algorithm>

#include "src/graph/order/ancestors.h"
#include "src/graph/order/has_refs.h"
#include "src/placement/gathered_rows.h"

namespace dfrun {

Output SubgraphMap::Map(Output o) const {
  if (auto it = outputs.find(OutputKey(o)); it != outputs.end()) return it->second;
  if (auto it = nodes.find(o.node); it != nodes.end()) return {it->second, o.port};
  return {};
}

bool SubgraphMap::ReplacesAll(const Node& node) const {
  for (int port = 0; port < node.num_outputs(); ++port) {
    if (outputs.count(OutputKey({node.id, port})) == 0) return false;
  }
  return node.num_outputs() > 0;
}

NodeId SubgraphMap::MapControl(const Node& node) const {
  if (ReplacesAll(node)) return outputs.at(OutputKey({node.id, 0})).node;
  auto it = nodes.find(node.id);
  return it != nodes.end() ? it->second : -1;
}

namespace {

// The edges that close loops, whose sources come after their readers. Shapes are then those of all iterations.
Status CloseLoops(const Graph& from, const std::vector<NodeId>& body, Graph& to, const SubgraphMap& map) {
  bool any = false;
  for (NodeId id : body) {
    const Node& node = from.node(id);
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (!from.IsBackEdge(node, i)) continue;
      DF_TRY(to.SetInput(map.nodes.at(id), i, map.Map(node.inputs[i])));
      any = true;
    }
  }
  return any ? to.InferShapes() : Status();
}

// Frames of one name are one loop, which copies are not.
void RenameFrame(const std::string& prefix, AttrMap& attrs) {
  const AttrValue* name = attrs.Find("frame_name");
  if (name != nullptr && name->get<std::string>() != nullptr)
    attrs.Set("frame_name", prefix + *name->get<std::string>());
}

// Whether another node decides where this one is: a node that writes through a reference is where its variable is.
bool IsBoundToAnother(const Node& node, const NodeSpec& copy) {
  return !copy.colocate_with.empty() || HasRefInput(node);
}

// Whether the node is an input's, which stays where its samples are read.
bool IsInput(const Node& node) {
  return node.op->traits.portable.kind == PortableForm::Kind::kPlaceholders;
}

// The device that the placement gives the copy; null: none.
const std::string* PlacedOn(const Node& node, const SubgraphCopyOptions& options) {
  return options.placement == nullptr ? nullptr : options.placement->Find(options.placed_prefix + node.name);
}

// Reads no more of its input than the shape, which is a constant where it is known.
bool ReadsShapeAlone(const Node& node) {
  return node.op->name == "Shape" || node.op->name == "Size" || node.op->name == "Rank";
}

// The tables that the copy need not bring to its device, because only gathers read them there. A table is an output
// that `map` replaces.
class RemoteTables {
 public:
  RemoteTables(const Graph& from, const std::vector<NodeId>& body, const SubgraphMap& map) : from_(from) {
    for (NodeId id : body) {
      const Node& node = from.node(id);
      if (map.nodes.count(id) > 0 || !node.device.empty() || !node.colocate_with.empty() || HasRefInput(node)) continue;
      for (int i = 0; i < node.num_inputs(); ++i) Note(node, i, map);
    }
  }

  // Whether the gather goes to its table.
  bool Attracts(const Node& node) const {
    if (node.inputs.empty() || GatheredBytes(from_, node) < 0) return false;
    const auto found = bytes_.find(SubgraphMap::OutputKey(node.inputs[0]));
    return found != bytes_.end() && found->second < BytesOf(from_, node.inputs[0]);
  }

 private:
  static constexpr int64_t kWhole = int64_t{1} << 60;

  void Note(const Node& reader, int input, const SubgraphMap& map) {
    const Output value = reader.inputs[input];
    if (!value.valid() || !map.Map(value).valid() || ReadsShapeAlone(reader)) return;
    const int64_t rows = input == 0 ? GatheredBytes(from_, reader) : -1;
    int64_t& bytes = bytes_[SubgraphMap::OutputKey(value)];
    bytes = std::min(kWhole, bytes + (rows < 0 ? kWhole : rows));
  }

  const Graph& from_;
  std::unordered_map<int64_t, int64_t> bytes_;  // by output: that all gathers of it take, kWhole where others read it
};

}  // namespace

Status CopySubgraph(const Graph& from, const std::vector<NodeId>& body, const SubgraphCopyOptions& options, Graph& to,
                    SubgraphMap& map) {
  const RemoteTables tables(from, body, map);
  for (NodeId id : body) {
    if (map.nodes.count(id) > 0) continue;
    const Node& node = from.node(id);
    NodeSpec spec;
    spec.name = options.prefix + node.name;
    spec.op = node.op->name;
    spec.attrs = node.attrs;
    if (options.attrs) options.attrs(node, spec.attrs);
    RenameFrame(options.prefix, spec.attrs);
    spec.location = node.location;
    for (Output input : node.inputs) spec.inputs.push_back(map.Map(input));
    for (NodeId control : node.control_inputs) {
      if (const NodeId mapped = map.MapControl(from.node(control)); mapped >= 0) spec.control_inputs.push_back(mapped);
    }
    if (!node.colocate_with.empty()) {
      const NodeId other = from.Find(node.colocate_with);
      auto it = map.nodes.find(other);
      if (it != map.nodes.end()) spec.colocate_with = to.node(it->second).name;
    }
    spec.device = node.device;
    const bool is_open = node.device.empty() && !IsBoundToAnother(node, spec);
    if (is_open) {
      spec.device = tables.Attracts(node) ? to.node(spec.inputs[0].node).device : options.device;
      if (const std::string* const placed = PlacedOn(node, options)) spec.device = *placed;
    }
    DF_ASSIGN(const NodeId added, to.AddNode(std::move(spec)));
    if (is_open && options.open != nullptr && !IsInput(node)) options.open->push_back(added);
    map.nodes[id] = added;
  }
  return CloseLoops(from, body, to, map);
}

Result<std::vector<NodeId>> Ancestors(const Graph& graph, const std::vector<Output>& outputs,
                                      const std::vector<bool>& stop, const SubgraphMap* replaced) {
  AncestorWalk walk(graph);
  const auto want = [&](NodeId id) {
    if (!stop[id]) walk.Add(id);
  };
  const auto want_output = [&](Output o) {
    if (replaced == nullptr || replaced->outputs.count(SubgraphMap::OutputKey(o)) == 0) want(o.node);
  };
  for (Output o : outputs) want_output(o);
  while (const Node* node = walk.Next()) {
    for (Output input : node->inputs) want_output(input);
    for (NodeId control : node->control_inputs) {
      if (replaced == nullptr || !replaced->ReplacesAll(graph.node(control))) want(control);
    }
  }
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  std::vector<NodeId> found;
  for (NodeId id : order) {
    if (walk.added()[id]) found.push_back(id);
  }
  return found;
}

}  // namespace dfrun
