#include "src/training/shares/join_writers.h"

#include <string>
#include <utility>

#include "src/graph/control_flow.h"
#include "src/graph/graph_ops.h"

namespace dfrun {

Result<std::vector<NodeId>> JoinWriters(const std::map<NodeId, std::vector<NodeId>>& writers, Graph& graph) {
  const char* const joined = HasControlFlow(graph) ? "ControlTrigger" : "NoOp";
  std::map<std::string, std::vector<NodeId>> by_device;
  for (const auto& [variable, nodes] : writers) {
    std::vector<NodeId>& all = by_device[graph.node(variable).device];
    all.insert(all.end(), nodes.begin(), nodes.end());
  }
  std::vector<NodeId> ends;
  for (auto& [device, nodes] : by_device) {
    GraphOps ops(graph, "train", device);
    ends.push_back(ops.Add("updated", joined, {}, {}, std::move(nodes)).node);
    DF_TRY(ops.status());
  }
  return ends;
}

}  // namespace dfrun
