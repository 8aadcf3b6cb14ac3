// Joins the updates of a step by device.
#ifndef DFRUN_SRC_TRAINING_SHARES_JOIN_WRITERS_H_
#define DFRUN_SRC_TRAINING_SHARES_JOIN_WRITERS_H_

#include <map>
#include <vector>

#include "src/base/status.h"
#include "src/graph/graph.h"

namespace dfrun {

// Adds one node a device that comes after the writers of the variables there, so that each rank sends one message to
// who waits for them. `writers`: by variable.
Result<std::vector<NodeId>> JoinWriters(const std::map<NodeId, std::vector<NodeId>>& writers, Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_SHARES_JOIN_WRITERS_H_
