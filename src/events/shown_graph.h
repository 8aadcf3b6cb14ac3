// Graphs as TensorBoard shows them.
#ifndef DFRUN_SRC_EVENTS_SHOWN_GRAPH_H_
#define DFRUN_SRC_EVENTS_SHOWN_GRAPH_H_

#include <span>
#include <string>

#include "src/graph/graph.h"

namespace dfrun {

// A serialised GraphDef with the nodes of all partitions of a step, each with its device and the shapes of its outputs.
// An edge leads from each Send to the Recvs of its channel. Values of attrs of more than 1 KiB, constants above all,
// are left out, and `_too_large_attrs` names them. A constant that several partitions have is shown in the first.
std::string ShownGraphDef(std::span<const Graph* const> partitions);

}  // namespace dfrun

#endif  // DFRUN_SRC_EVENTS_SHOWN_GRAPH_H_
