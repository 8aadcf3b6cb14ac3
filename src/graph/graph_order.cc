#include "src/graph/dependency_order.h"
#include "src/graph/graph.h"
#include "src/graph/graph_cycle.h"

namespace dfrun {
namespace {

Status CycleError(const Graph& graph, const std::vector<NodeId>& cycle) {
  constexpr size_t kMaxShown = 10;
  std::string names;
  for (size_t i = 0; i < cycle.size() && i < kMaxShown; ++i) names += StrCat("'", graph.node(cycle[i]).name, "' -> ");
  if (cycle.size() > kMaxShown) names += StrCat("... (", cycle.size(), " nodes) -> ");
  return InvalidArgument(graph.Describe(cycle[0]), ": the graph has a cycle: ", names, "'", graph.node(cycle[0]).name,
                         "'");
}

DependencyOrder OrderOf(const Graph& graph) {
  Dependencies dependencies;
  for (const Node& n : graph.nodes()) {
    for (int i = 0; i < n.num_inputs(); ++i) {
      if (n.inputs[i].valid() && !graph.IsBackEdge(n, i)) dependencies.before.push_back(n.inputs[i].node);
    }
    dependencies.before.insert(dependencies.before.end(), n.control_inputs.begin(), n.control_inputs.end());
    dependencies.Close();
  }
  return OrderByDependencies(dependencies);
}

}  // namespace

Result<std::vector<NodeId>> Graph::TopologicalOrder() const {
  DependencyOrder found = OrderOf(*this);
  if (!found.cycle.empty()) return CycleError(*this, found.cycle);
  return std::move(found.order);
}

std::vector<NodeId> FindCycle(const Graph& graph) {
  return OrderOf(graph).cycle;
}

}  // namespace dfrun
