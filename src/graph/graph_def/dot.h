// Prints graphs for Graphviz.
#ifndef DFRUN_SRC_GRAPH_GRAPH_DEF_DOT_H_
#define DFRUN_SRC_GRAPH_GRAPH_DEF_DOT_H_

#include <span>
#include <string>

#include "src/graph/graph.h"

namespace dfrun {

// One box of the drawing. The graph must outlive the call.
struct DotCluster {
  std::string label;  // empty: no box is drawn
  const Graph* graph;
};

// Data edges carry dtype and shape, control edges are dashed, and a _Send points at the _Recv of its channel.
std::string DumpDot(std::span<const DotCluster> clusters);
std::string DumpDot(const Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_DEF_DOT_H_
