// Graphs that need no checkpoint: variables become constants of their values.
#ifndef DFRUN_SRC_PASSES_EXPORT_FREEZE_H_
#define DFRUN_SRC_PASSES_EXPORT_FREEZE_H_

#include <map>
#include <string>
#include <vector>

#include "src/framework/values/tensor.h"
#include "src/graph/graph.h"

namespace dfrun {

struct FrozenGraph {
  Graph graph;
  std::vector<std::string> left_out;  // nodes that write variables, and those that read what such nodes give
};

// The variables of a graph, behind handles too.
std::vector<NodeId> VariablesIn(const Graph& graph);

// Returns the graph with each variable that `values` has as a constant of its name, and reads of handles as Identities.
// Nodes keep their names. Nodes that need the variable itself, as an AssignAdd does, are left out, with all that reads
// their values; what waits for them does not wait.
Result<FrozenGraph> FreezeVariables(const Graph& graph, const std::map<NodeId, Tensor>& values);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_EXPORT_FREEZE_H_
