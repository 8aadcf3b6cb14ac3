// A check of what holds for every graph with a function library, however wrong the graph is.
#ifndef DFRUN_TESTS_FUZZ_LOWERING_CHECK_H_
#define DFRUN_TESTS_FUZZ_LOWERING_CHECK_H_

#include "src/graph/graph_def/graph_def.h"
#include "src/passes/functions/lower_functions.h"

namespace dfrun::fuzz {

// The stage that a graph reached.
enum class Came { kNowhere, kImported, kLowered };

// Checks that the graph is refused, or lowered to one without calls that can be exported and imported again. Internal
// if neither holds.
inline Result<Came> CheckLowering(std::string_view data, GraphDefFormat format) {
  Result<Graph> graph = ImportGraphDef(data, format);
  if (!graph.ok()) {
    if (graph.status().code() == Code::kInternal) return graph.status();
    return Came::kNowhere;
  }
  const Status lowered = LowerFunctions(*graph, {.max_nodes = 2000});
  if (lowered.code() == Code::kInternal) return lowered;
  if (!lowered.ok()) return Came::kImported;
  if (CallsFunctions(*graph)) return Internal("a call is left");
  const Result<Graph> again = ImportGraphDef(ExportGraphDef(*graph, GraphDefFormat::kBinary), GraphDefFormat::kBinary);
  if (!again.ok()) return Internal("the lowered graph is no graph: ", again.status().ToString());
  return Came::kLowered;
}

}  // namespace dfrun::fuzz

#endif  // DFRUN_TESTS_FUZZ_LOWERING_CHECK_H_
