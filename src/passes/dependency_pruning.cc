// Prunes nodes whose values nobody reads, but for whose end others wait.
//
// Makes a NoOp of every such node that has no effect but its outputs: control edges from it move to its inputs.
// TensorFlow's gradients group the gradients of all inputs of an op, so its training graphs hold the gradient of a
// convolution by the images, which nothing reads. Stateful nodes, nodes without readers of any kind and graphs with
// control flow, where waiting passes deadness on, are left alone. Source: TensorFlow's dependency optimizer.
#include <algorithm>
#include <vector>

#include "src/base/sort_unique.h"
#include "src/graph/control_flow.h"
#include "src/graph/order/has_refs.h"
#include "src/passes/pass.h"

namespace dfrun {
namespace {

bool MayGo(const Node& node) {
  return !node.op->is_stateful && node.num_inputs() > 0 && node.num_outputs() > 0 && !HasRefs(node);
}

// Tells for each node whether its value has a reader that stays, or it must run for another reason.
std::vector<bool> FindNeeded(const Graph& graph, const std::vector<NodeId>& order) {
  const Consumers consumers = graph.BuildConsumers();
  std::vector<bool> needed(static_cast<size_t>(graph.num_nodes()), false);
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    const std::span<const Consumers::Edge> readers = consumers.of(*id);
    const bool read = std::any_of(readers.begin(), readers.end(), [&](const Consumers::Edge& edge) {
      return edge.port >= 0 && needed[static_cast<size_t>(edge.node)];
    });
    needed[static_cast<size_t>(*id)] = read || readers.empty() || !MayGo(graph.node(*id));
  }
  return needed;
}

void MakeNoOp(Node& node, const OpDef& no_op) {
  for (Output input : node.inputs) node.control_inputs.push_back(input.node);
  SortUnique(node.control_inputs);
  node.op = &no_op;
  node.attrs = AttrMap();
  node.inputs.clear();
  node.input_types.clear();
  node.output_types.clear();
  node.output_shapes.clear();
}

Status PruneDependencies(Graph& graph, const PassContext& /*context*/) {
  const OpDef* no_op = graph.ops().Find("NoOp");
  if (no_op == nullptr || HasControlFlow(graph)) return Status();
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  const std::vector<bool> needed = FindNeeded(graph, order);
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (!needed[static_cast<size_t>(id)]) MakeNoOp(graph.mutable_node(id), *no_op);
  }
  return Status();
}

GRAPH_PASS("dependency_pruning", 100, &PruneDependencies);

}  // namespace
}  // namespace dfrun
