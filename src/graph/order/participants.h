// The nodes of collectives' participants in a graph (src/framework/communication/collective.h): nodes of one attr
// `group` wait for one another, though no edge of the graph says so.
#ifndef DFRUN_SRC_GRAPH_ORDER_PARTICIPANTS_H_
#define DFRUN_SRC_GRAPH_ORDER_PARTICIPANTS_H_

#include <map>
#include <vector>

#include "src/framework/communication/collective.h"
#include "src/graph/graph.h"

namespace dfrun {

bool IsParticipant(const Node& node);

// The participants of each collective in their order, by group.
Result<std::map<int64_t, std::vector<NodeId>>> FindParticipants(const Graph& graph);

// Returns a topological order in which all that one participant needs comes before all participants of its group, and
// the readers of one come after all of them. InvalidArgument where there is none: a participant needs the output of
// another.
Result<std::vector<NodeId>> OrderWithParticipants(const Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_ORDER_PARTICIPANTS_H_
