#include "src/graph/deferred_shapes.h"

#include <algorithm>

#include "src/graph/control_flow.h"
#include "src/graph/shape_inference.h"

namespace dfrun {
namespace {

bool IsLoopMerge(const Graph& graph, const Node& node) {
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (graph.IsBackEdge(node, i)) return true;
  }
  return false;
}

// Returns the number of Switches that decide whether a node runs, as its inputs have it.
int DepthOf(const Graph& graph, const Node& node, const std::vector<int>& depth) {
  int inputs = 0;
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (node.inputs[i].valid() && !graph.IsBackEdge(node, i)) inputs = std::max(inputs, depth[node.inputs[i].node]);
  }
  for (NodeId before : node.control_inputs) inputs = std::max(inputs, depth[before]);
  switch (node.op->traits.control_flow) {
    case ControlFlowKind::kSwitch:
      return inputs + 1;
    case ControlFlowKind::kMerge:
      return IsLoopMerge(graph, node) ? inputs : std::max(0, inputs - 1);
    case ControlFlowKind::kExit:
      return std::max(0, inputs - 1);
    default:
      return inputs;
  }
}

// The first node whose shapes cannot be inferred; -1: none.
NodeId FirstFailure(const Graph& graph, const std::vector<NodeId>& order) {
  const auto found = std::find_if(order.begin(), order.end(), [&](NodeId id) {
    Node node = graph.node(id);
    return !InferNodeShapes(graph, node).ok();
  });
  return found == order.end() ? -1 : *found;
}

// Returns false where nothing was there to hide.
Result<bool> HideInputs(Graph& graph, NodeId reader) {
  bool hides = false;
  for (int i = 0; i < graph.node(reader).num_inputs(); ++i) {
    const Output value = graph.node(reader).inputs[i];
    const TypedArg& wanted = graph.node(reader).input_types[i];
    if (!value.valid() || wanted.is_ref || IsHandle(wanted.dtype) || graph.IsBackEdge(graph.node(reader), i)) continue;
    if (!graph.shape(value).known_rank() && graph.ConstantValue(value) == nullptr) continue;
    DF_ASSIGN(const Output hidden, HideShape(graph, value));
    DF_TRY(graph.SetInput(reader, i, hidden));
    hides = true;
  }
  return hides;
}

// Repairs a failed inference, whose result was `status`: hides shapes from the nodes that may fail, until no other
// fails.
Status InferShapesBut(Graph& graph, const std::vector<bool>& may_fail, Status status) {
  while (!status.ok()) {
    DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
    const NodeId failing = FirstFailure(graph, order);
    if (failing < 0 || failing >= static_cast<NodeId>(may_fail.size()) || !may_fail[failing]) return status;
    DF_ASSIGN(const bool hides, HideInputs(graph, failing));
    if (!hides) return status;
    status = graph.InferShapes();
  }
  return status;
}

}  // namespace

Result<std::vector<bool>> FindConditional(const Graph& graph) {
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  std::vector<int> depth(order.size(), 0);
  for (NodeId id : order) depth[id] = DepthOf(graph, graph.node(id), depth);
  std::vector<bool> conditional;
  conditional.reserve(depth.size());
  for (int switches : depth) conditional.push_back(switches > 0);
  return conditional;
}

Result<Output> HideShape(Graph& graph, Output value) {
  const Node& source = graph.node(value.node);
  NodeSpec spec;
  spec.name = graph.UniqueName(source.name + "/any_shape");
  spec.op = "PlaceholderWithDefault";
  spec.inputs = {value};
  spec.attrs = {{"dtype", graph.dtype(value)}, {"shape", PartialShape()}};
  spec.device = source.device;
  spec.colocate_with = source.colocate_with;
  spec.location = source.location;
  DF_ASSIGN(const NodeId hidden, graph.AddNode(std::move(spec)));
  return Output{hidden, 0};
}

Status InferShapesOfWhatRuns(Graph& graph) {
  Status status = graph.InferShapes();
  if (status.ok() || !HasControlFlow(graph)) return status;
  DF_ASSIGN(const std::vector<bool> conditional, FindConditional(graph));
  return InferShapesBut(graph, conditional, std::move(status));
}

Status InferShapesOfWhatMayRun(Graph& graph) {
  Status status = graph.InferShapes();
  if (status.ok()) return status;
  return InferShapesBut(graph, std::vector<bool>(static_cast<size_t>(graph.num_nodes()), true), std::move(status));
}

}  // namespace dfrun
