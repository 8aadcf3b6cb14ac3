#include "src/session/session_graph.h"

#include "src/passes/functions/lower_functions.h"
#include "src/passes/loosen_shapes.h"
#include "src/session/random_sequences.h"

namespace dfrun {

Status PrepareSessionGraph(Graph& graph, const SessionGraphOptions& options) {
  DF_TRY(LowerFunctions(graph, {.first_node = options.first_node, .keeps_refused = true}));
  DF_TRY(LoosenVariableShapes(graph));
  ShareRandomPositions(graph, options.session);
  return SpreadConstraints(graph, options.soft);
}

}  // namespace dfrun
