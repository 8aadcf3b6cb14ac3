#include "jobs/compare/common_nodes.h"

#include <algorithm>

#include "src/graph/control_flow.h"
#include "src/graph/graph_def/unknown_ops.h"

namespace dfrun::jobs {
namespace {

bool ClosesLoop(const Graph& graph, const Node& merge) {
  for (int i = 0; i < merge.num_inputs(); ++i) {
    if (graph.IsBackEdge(merge, i)) return true;
  }
  return false;
}

// The number of conditions that decide whether a node's outputs are alive; loops aside, which end.
std::vector<int> ConditionsOf(const Graph& graph, const std::vector<NodeId>& order) {
  std::vector<int> conditions(static_cast<size_t>(graph.num_nodes()), 0);
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    int most = 0;
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (!graph.IsBackEdge(node, i)) most = std::max(most, conditions[node.inputs[i].node]);
    }
    for (const NodeId input : node.control_inputs) most = std::max(most, conditions[input]);
    const ControlFlowKind kind = node.op->traits.control_flow;
    if (kind == ControlFlowKind::kSwitch) ++most;
    const bool joins = kind == ControlFlowKind::kExit || (kind == ControlFlowKind::kMerge && !ClosesLoop(graph, node));
    conditions[id] = joins ? std::max(most - 1, 0) : most;
  }
  return conditions;
}

bool IsFed(const FedGraph& of, NodeId node) {
  return std::any_of(of.fed.begin(), of.fed.end(), [&](const Output& output) { return output.node == node; });
}

bool IsComparable(const Graph& graph, Output output) {
  return !graph.is_ref(output) && !IsHandle(graph.dtype(output));
}

// Marks the node and what it depends on.
void Mark(const Graph& graph, NodeId node, std::vector<bool>& marked) {
  std::vector<NodeId> left = {node};
  while (!left.empty()) {
    const NodeId id = left.back();
    left.pop_back();
    if (marked[id]) continue;
    marked[id] = true;
    for (const Output& input : graph.node(id).inputs) left.push_back(input.node);
    for (const NodeId input : graph.node(id).control_inputs) left.push_back(input);
  }
}

// Finds the nodes that something else than first values depends on, by node.
std::vector<bool> NeededOtherwise(const FedGraph& of) {
  std::vector<bool> for_first(static_cast<size_t>(of.graph.num_nodes()), false);
  for (const Output& value : of.first_values) {
    if (value.valid()) Mark(of.graph, value.node, for_first);
  }
  std::vector<bool> needed(for_first.size(), false);
  for (NodeId id = 0; id < of.graph.num_nodes(); ++id) {
    if (!for_first[id]) Mark(of.graph, id, needed);
  }
  return needed;
}

}  // namespace

Result<std::vector<bool>> CanBeFetched(const FedGraph& of) {
  const Graph& graph = of.graph;
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  DF_ASSIGN(const FrameTree frames, BuildFrameTree(graph));
  const std::vector<int> conditions = ConditionsOf(graph, order);
  std::vector<bool> is_there(static_cast<size_t>(graph.num_nodes()), false);
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    bool is_given = node.op->name != "Placeholder" && !IsUnknown(node);
    for (int i = 0; i < node.num_inputs(); ++i) {
      is_given = is_given && (graph.IsBackEdge(node, i) || is_there[node.inputs[i].node]);
    }
    for (const NodeId input : node.control_inputs) is_given = is_given && is_there[input];
    is_there[id] = is_given || IsFed(of, id);
  }
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const bool runs_once = frames.of_node[id] <= 0 && frames.of_outputs[id] <= 0 && conditions[id] == 0;
    is_there[id] = is_there[id] && runs_once;
  }
  return is_there;
}

Result<CommonOutputs> FindCommonOutputs(const FedGraph& a, const FedGraph& b) {
  DF_ASSIGN(const std::vector<bool> in_a, CanBeFetched(a));
  DF_ASSIGN(const std::vector<bool> in_b, CanBeFetched(b));
  DF_ASSIGN(const std::vector<NodeId> order, a.graph.TopologicalOrder());
  const std::vector<bool> is_needed = NeededOtherwise(a);
  CommonOutputs common;
  for (const NodeId id : order) {
    const Node& node = a.graph.node(id);
    const NodeId other = b.graph.Find(node.name);
    if (other < 0 || node.num_outputs() == 0 || !is_needed[id]) continue;
    const size_t before = common.outputs.size();
    const int outputs = std::min(node.num_outputs(), b.graph.node(other).num_outputs());
    for (int32_t port = 0; in_a[id] && in_b[other] && port < outputs; ++port) {
      const CommonOutput output{OutputName(a.graph, {id, port}), {id, port}, {other, port}};
      const bool is_value = IsComparable(a.graph, output.in_a) && IsComparable(b.graph, output.in_b);
      if (is_value) common.outputs.push_back(output);
    }
    if (common.outputs.size() == before) ++common.left_out;
  }
  return common;
}

}  // namespace dfrun::jobs
