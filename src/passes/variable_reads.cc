#include "src/passes/variable_reads.h"

#include <algorithm>

#include "src/graph/control_flow.h"

namespace dfrun {

namespace {

// Between devices the value that is sent is what counts.
bool MayReadVariable(const Node& reader, const Node& variable) {
  return ControlFlowKindOf(reader.op->name) == ControlFlowKind::kNone && reader.device == variable.device;
}

}  // namespace

Status ReadVariablesAtUse(Graph& graph, const std::vector<Output>& fed) {
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  const Consumers consumers = graph.BuildConsumers();
  for (NodeId id : order) {
    const Node& read = graph.node(id);
    if (read.op->name != "Identity" || !read.inputs[0].valid() || !graph.is_ref(read.inputs[0])) continue;
    if (std::find(fed.begin(), fed.end(), Output{id, 0}) != fed.end()) continue;
    const Output variable = read.inputs[0];
    const bool waits = !read.control_inputs.empty();
    for (const Consumers::Edge& edge : consumers.of(id)) {
      if (edge.input < 0 || !MayReadVariable(graph.node(edge.node), graph.node(variable.node))) continue;
      DF_TRY(graph.SetInput(edge.node, edge.input, variable).Annotate(graph.Describe(edge.node)));
      if (waits) graph.AddControlEdge(id, edge.node);
    }
  }
  return Status();
}

}  // namespace dfrun
