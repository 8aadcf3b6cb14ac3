#include "src/graph/order/variable_reads.h"

#include <algorithm>
#include <string>

namespace dfrun {

namespace {

bool MayReadVariable(const Node& reader) {
  return reader.op->traits.control_flow == ControlFlowKind::kNone;
}

// Whether `by_ref` (a RefEnter, a RefSwitch) takes a variable where `by_value` (an Enter, a Switch) takes its value.
bool GoTheSameWay(const Node& by_ref, const Node& by_value) {
  if (by_ref.op->name != StrCat("Ref", by_value.op->name) || by_ref.device != by_value.device) return false;
  if (by_value.op->name == "Switch") return by_ref.inputs[1] == by_value.inputs[1];
  const Result<std::string> frame = by_ref.attrs.Get<std::string>("frame_name");
  const Result<std::string> wanted = by_value.attrs.Get<std::string>("frame_name");
  return frame.ok() && wanted.ok() && *frame == *wanted;
}

// Finds the variable inside the loop or the branch that its value goes into; invalid where it is not there.
Output FollowVariable(const Graph& graph, const Consumers& consumers, Output variable, const Node& by_value) {
  for (const Consumers::Edge& edge : consumers.of(variable.node)) {
    const Node& reader = graph.node(edge.node);
    if (edge.input == 0 && reader.inputs[0] == variable && GoTheSameWay(reader, by_value)) return {reader.id, 0};
  }
  return {};
}

Output Later(Output first, int port) {
  return first.valid() ? Output{first.node, first.port + port} : first;
}

// The variable whose bytes TensorFlow's first output of this node shares; `shared` has it for the nodes before.
Output SharedVariable(const Graph& graph, const Consumers& consumers, const Node& node,
                      const std::vector<Output>& shared) {
  if (node.num_inputs() == 0 || !node.inputs[0].valid()) return {};
  if (node.op->name == "Identity") return graph.is_ref(node.inputs[0]) ? node.inputs[0] : Output();
  if (node.op->name != "Enter" && node.op->name != "Switch") return {};
  const Output variable = Later(shared[node.inputs[0].node], node.inputs[0].port);
  return variable.valid() ? FollowVariable(graph, consumers, variable, node) : Output();
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
      if (edge.input < 0 || !MayReadVariable(graph.node(edge.node))) continue;
      const int port = graph.node(edge.node).inputs[edge.input].port;
      DF_TRY(graph.SetInput(edge.node, edge.input, Later(variable, port)).Annotate(graph.Describe(edge.node)));
      if (waits) graph.AddControlEdge(id, edge.node);
    }
  }
  return Status();
}

}  // namespace dfrun
