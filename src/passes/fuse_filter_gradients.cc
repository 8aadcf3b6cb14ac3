#include "src/passes/fuse_filter_gradients.h"

#include <algorithm>
#include <unordered_map>

#include "src/graph/control_flow.h"
#include "src/passes/fusion.h"
#include "src/passes/graph_rebuilder.h"
#include "src/passes/node_order.h"

namespace dfrun {
namespace {

constexpr const char* kFused = "_ConvBiasReluMaxPoolGrad";
// Smaller gradients stay in the caches from one node to the next, and two of the nodes may run at once.
constexpr int64_t kLeastElements = int64_t{1} << 18;

// What becomes one node.
struct Group {
  NodeId pool = -1;
  NodeId bias = -1;
  NodeId filter = -1;
  NodeId identity = -1;  // or none
};

// Whether `node` reads the gradient as its input `input`, and nothing else holds it up.
bool Takes(const Node& node, const char* op, int input, NodeId gradient) {
  return node.op->name == op && node.inputs[input].node == gradient && HasChannelsLast(node) &&
         node.control_inputs.empty();
}

// Whether all that an Identity waits for is the gradient and its sums, as in TensorFlow's graphs.
bool WaitsForGradientsAlone(const Graph& graph, const Node& identity, const Group& group) {
  const auto is_one = [&](NodeId id) { return id == group.pool || id == group.bias; };
  return std::all_of(identity.control_inputs.begin(), identity.control_inputs.end(), [&](NodeId id) {
    const Node& node = graph.node(id);
    return is_one(id) ||
           (node.op->name == "NoOp" && std::all_of(node.control_inputs.begin(), node.control_inputs.end(), is_one));
  });
}

bool IsLargeGradient(const Node& node) {
  if (node.op->name != "_MaxPoolReluGrad" || node.output_types[0].dtype != DType::kFloat) return false;
  const PartialShape& shape = node.output_shapes[0];
  return HasChannelsLast(node) && (!shape.IsFullyDefined() || shape.num_elements() >= kLeastElements);
}

std::optional<Group> GroupAt(const FusionView& view, const Node& pool) {
  if (!IsLargeGradient(pool)) return {};
  Group group{.pool = pool.id};
  int readers = 0;
  for (const Consumers::Edge& edge : view.consumers().of(pool.id)) {
    if (edge.port < 0) continue;
    ++readers;
    const Node& reader = view.node(edge.node);
    if (reader.op->name == "BiasAddGrad") {
      group.bias = reader.id;
    } else if (reader.op->name == "Identity") {
      group.identity = reader.id;
    } else {
      group.filter = reader.id;
    }
  }
  if (readers != 2 || group.bias < 0 || !Takes(view.node(group.bias), "BiasAddGrad", 0, pool.id)) return {};
  NodeId gradient = pool.id;
  if (group.identity >= 0) {
    const Node& identity = view.node(group.identity);
    if (!view.HasOneReader(identity) || !WaitsForGradientsAlone(view.graph(), identity, group)) return {};
    for (const Consumers::Edge& edge : view.consumers().of(identity.id)) {
      if (edge.port >= 0) group.filter = edge.node;
    }
    gradient = identity.id;
  }
  const Node& filter = view.node(group.filter);
  const bool fits = Takes(filter, "Conv2DBackpropFilter", 2, gradient) && !view.graph().is_ref(filter.inputs[0]) &&
                    view.OnOneDevice(pool, filter) && view.OnOneDevice(pool, view.node(group.bias));
  return fits ? std::optional(group) : std::nullopt;
}

// Those of up to NodeOrder::kMost groups of which the convolution's operands are there when the gradient is.
Result<std::vector<Group>> FindGroups(const Graph& graph) {
  std::vector<Group> groups;
  std::vector<NodeId> pools;
  const FusionView view(graph);
  for (const Node& node : graph.nodes()) {
    if (groups.size() == NodeOrder::kMost) break;
    if (const std::optional<Group> group = GroupAt(view, node)) {
      groups.push_back(*group);
      pools.push_back(node.id);
    }
  }
  if (groups.empty()) return groups;
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  const NodeOrder node_order(graph, order, pools);
  std::erase_if(groups, [&](const Group& group) {
    const Node& filter = graph.node(group.filter);
    return node_order.After(filter.inputs[0].node) != 0 || node_order.After(filter.inputs[1].node) != 0;
  });
  return groups;
}

// In the place of the gradient of pooling, which waits for `waits` beside its inputs.
Status AddFused(const Graph& graph, const Group& group, const std::vector<NodeId>& waits, GraphRebuilder& rebuilder) {
  const Node& pool = graph.node(group.pool);
  const Node& filter = graph.node(group.filter);
  NodeSpec spec = PlacedAs(filter);
  spec.name = filter.name;
  spec.op = kFused;
  for (Output input : {filter.inputs[0], filter.inputs[1], pool.inputs[0], pool.inputs[1], pool.inputs[2]}) {
    spec.inputs.push_back(rebuilder.NewPlace(input));
  }
  rebuilder.AddControls(waits, spec.control_inputs);
  CopyAttrs(filter, {"strides", "padding", "explicit_paddings", "dilations"}, "", spec.attrs);
  CopyAttrs(pool, {"ksize", "strides", "padding", "explicit_paddings"}, "pool_", spec.attrs);
  DF_ASSIGN(const NodeId made, rebuilder.to().AddNode(std::move(spec)));
  // What the sizes were computed from may be on another device by now.
  rebuilder.to().mutable_node(made).output_shapes = {filter.output_shapes[0], graph.node(group.bias).output_shapes[0]};
  rebuilder.MergeInto(filter.id, made);
  rebuilder.Replace({group.bias, 0}, {made, 1});
  for (NodeId id : {group.pool, group.bias, group.identity}) {
    if (id >= 0) rebuilder.ReplaceControl(id, made);
  }
  return Status();
}

Status FuseGroups(Graph& graph, const std::vector<Group>& groups) {
  std::unordered_map<NodeId, std::vector<NodeId>> waits;  // by the gradient of pooling: what it waits for
  std::unordered_map<NodeId, const Group*> at;            // by any node of a group
  for (const Group& group : groups) {
    for (NodeId id : {group.pool, group.bias, group.filter, group.identity}) {
      if (id >= 0) at[id] = &group;
    }
    // The convolution's operands come before it in the order that follows.
    std::vector<NodeId>& controls = graph.mutable_node(group.pool).control_inputs;
    waits[group.pool] = controls;
    for (int i : {0, 1}) controls.push_back(graph.node(group.filter).inputs[i].node);
  }
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  GraphRebuilder rebuilder(graph);
  for (NodeId id : order) {
    const auto found = at.find(id);
    if (found == at.end()) {
      rebuilder.Keep(id);
    } else if (id == found->second->pool) {
      DF_TRY(AddFused(graph, *found->second, waits[id], rebuilder));
    }
  }
  DF_ASSIGN(graph, rebuilder.Finish());
  return Status();
}

}  // namespace

Status FuseFilterGradients(Graph& graph) {
  if (graph.ops().Find(kFused) == nullptr || HasControlFlow(graph)) return Status();
  for (;;) {
    DF_ASSIGN(const std::vector<Group> groups, FindGroups(graph));
    if (groups.empty()) return Status();
    DF_TRY(FuseGroups(graph, groups));
  }
}

}  // namespace dfrun
