#include "src/passes/variable_reads.h"

#include <algorithm>
#include <string>

#include "src/graph/control_flow.h"

namespace dfrun {

namespace {

// Between devices the value that is sent is what counts.
bool MayReadVariable(const Node& reader, const Node& variable) {
  return ControlFlowKindOf(reader.op->name) == ControlFlowKind::kNone && reader.device == variable.device;
}

// The RefEnter of the variable into the frame that `enter` enters; invalid where the loop has none.
Output EnteredVariable(const Graph& graph, const Consumers& consumers, Output variable, const Node& enter) {
  const Result<std::string> frame = enter.attrs.Get<std::string>("frame_name");
  for (const Consumers::Edge& edge : consumers.of(variable.node)) {
    const Node& reader = graph.node(edge.node);
    if (edge.input != 0 || reader.op->name != "RefEnter" || !(reader.inputs[0] == variable)) continue;
    const Result<std::string> entered = reader.attrs.Get<std::string>("frame_name");
    if (entered.ok() && frame.ok() && *entered == *frame && reader.device == enter.device) return {reader.id, 0};
  }
  return {};
}

// The variable whose bytes TensorFlow's output of this node shares; `shared` has it for the nodes before.
Output SharedVariable(const Graph& graph, const Consumers& consumers, const Node& node,
                      const std::vector<Output>& shared) {
  if (node.num_inputs() == 0 || !node.inputs[0].valid()) return {};
  if (node.op->name == "Identity") return graph.is_ref(node.inputs[0]) ? node.inputs[0] : Output();
  if (node.op->name != "Enter" || !shared[node.inputs[0].node].valid()) return {};
  return EnteredVariable(graph, consumers, shared[node.inputs[0].node], node);
}

}  // namespace

Status ReadVariablesAtUse(Graph& graph, const std::vector<Output>& fed) {
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  const Consumers consumers = graph.BuildConsumers();
  std::vector<Output> shared(static_cast<size_t>(graph.num_nodes()));
  for (NodeId id : order) {
    const Node& read = graph.node(id);
    if (std::find(fed.begin(), fed.end(), Output{id, 0}) != fed.end()) continue;
    const Output variable = shared[id] = SharedVariable(graph, consumers, read, shared);
    if (!variable.valid()) continue;
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
