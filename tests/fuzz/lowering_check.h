// What holds for every graph with a function library, however wrong it is.
#ifndef DFRUN_TESTS_FUZZ_LOWERING_CHECK_H_
#define DFRUN_TESTS_FUZZ_LOWERING_CHECK_H_

#include "src/graph/graph_def.h"
#include "src/passes/functions/lower_functions.h"

namespace dfrun::fuzz {

// How far a graph came.
enum class Came { kNowhere, kImported, kLowered };

// The graph is refused, or lowered to one without calls that can be exported and imported again. Internal if not so.
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
