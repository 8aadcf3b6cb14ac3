// The place of a graph's part in a file of its spec, for messages.
#ifndef DFRUN_SRC_GRAPH_LOCATION_PREFIX_H_
#define DFRUN_SRC_GRAPH_LOCATION_PREFIX_H_

#include <string>

#include "src/graph/graph.h"

namespace dfrun {

// "spec.yaml:3:5: ", the beginning of a message; "" where the place is not known.
inline std::string LocationPrefix(const Graph& graph, const SourceLocation& location) {
  if (location.file < 0) return "";
  return StrCat(graph.files()[static_cast<size_t>(location.file)], ":", location.line, ":", location.column, ": ");
}

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_LOCATION_PREFIX_H_
