// The participants of a collective that TensorFlow's ops describe: nodes that name each other by keys.
#ifndef DFRUN_SRC_COLLECTIVES_GROUP_H_
#define DFRUN_SRC_COLLECTIVES_GROUP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// "Reduce", "Gather", "BcastSend" or "BcastRecv" of CollectiveReduce, CollectiveReduceV2, ...; empty for other ops.
std::string CollectiveForm(const Node& node);
bool IsBroadcast(const std::string& form);

struct CollectiveKeys {
  int64_t group_size;
  int64_t group;
  int64_t instance;
};
// Attrs, or of V2 ops inputs; InvalidArgument where these are no constants.
Result<CollectiveKeys> ReadCollectiveKeys(const Graph& graph, NodeId id);

// Returns InvalidArgument where the nodes, of one group and instance, are not all of it or do not agree on their attrs.
Status CheckCollectiveGroup(const Graph& graph, const std::vector<NodeId>& group);

// Sorts by device constraint (job, task, type, index), then by name.
Status SortByDevice(const Graph& graph, std::vector<NodeId>& group);

}  // namespace dfrun

#endif  // DFRUN_SRC_COLLECTIVES_GROUP_H_
