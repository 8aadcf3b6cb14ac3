// Merges the reads of a resource variable, of which TensorFlow's graphs have one for each use: passes that look for
// nodes with the same operand then find them. ReadVariableOps of one handle and device constraint that wait for
// nothing become one, where all that may change the variable runs after each of them. Graphs with control flow are left
// alone.
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/graph/control_flow.h"
#include "src/graph/order/variable_readers.h"
#include "src/passes/graph_rebuilder.h"
#include "src/passes/pass.h"

namespace dfrun {
namespace {

// The reads of a handle that may become one with the first.
std::vector<NodeId> ReadsOf(const Graph& graph, const Consumers& consumers, const Node& handle) {
  std::vector<NodeId> reads;
  for (const Consumers::Edge& edge : consumers.of(handle.id)) {
    const Node& node = graph.node(edge.node);
    const bool may_move = edge.port >= 0 && node.op->name == "ReadVariableOp" && node.control_inputs.empty();
    if (!may_move) continue;
    const Node& first = reads.empty() ? node : graph.node(reads[0]);
    if (node.device == first.device && node.output_types[0].dtype == first.output_types[0].dtype) {
      reads.push_back(node.id);
    }
  }
  return reads;
}

Status DedupVariableReads(Graph& graph, const PassContext& /*context*/) {
  if (HasControlFlow(graph)) return Status();
  const Consumers consumers = graph.BuildConsumers();
  std::vector<std::pair<NodeId, std::vector<NodeId>>> found;  // handles, their reads
  for (const Node& node : graph.nodes()) {
    if (node.op->name != "VarHandleOp") continue;
    std::vector<NodeId> reads = ReadsOf(graph, consumers, node);
    if (reads.size() > 1) found.emplace_back(node.id, std::move(reads));
  }
  if (found.empty()) return Status();
  const VariableReaders variables(graph, consumers);
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  std::unordered_map<NodeId, NodeId> merged;  // read: the one that it becomes
  for (const auto& [handle, reads] : found) {
    if (!SeeOneValue(graph, variables, order, handle, reads)) continue;
    for (size_t i = 1; i < reads.size(); ++i) merged[reads[i]] = reads[0];
  }
  if (merged.empty()) return Status();
  GraphRebuilder rebuilder(graph);
  for (NodeId id : order) {
    const auto it = merged.find(id);
    const NodeId kept = it == merged.end() ? id : it->second;
    if (rebuilder.NewNode(kept) < 0) rebuilder.Keep(kept);
    if (kept != id) rebuilder.MergeInto(id, rebuilder.NewNode(kept));
  }
  DF_ASSIGN(graph, rebuilder.Finish());
  return Status();
}

GRAPH_PASS("dedup_variable_reads", 140, &DedupVariableReads);

}  // namespace
}  // namespace dfrun
