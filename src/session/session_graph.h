// Prepares a session's graph before parts of it are compiled.
#ifndef DFRUN_SRC_SESSION_SESSION_GRAPH_H_
#define DFRUN_SRC_SESSION_SESSION_GRAPH_H_

#include "src/graph/graph.h"
#include "src/placement/placer.h"

namespace dfrun {

struct SessionGraphOptions {
  const SoftPlacement* soft = nullptr;  // null: placement is not soft
  int64_t session = 0;                  // the session's number
  NodeId first_node = 0;
};

// Inlines functions, fixes everything that must be the same in every signature (the devices of nodes that share one,
// the positions of random nodes in their sequences) and forgets the shapes that variables need not keep. Nodes before
// `first_node` are of a graph that was prepared before, for the same session; they keep their ids.
Status PrepareSessionGraph(Graph& graph, const SessionGraphOptions& options);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_SESSION_GRAPH_H_
