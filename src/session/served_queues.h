// Dequeues and enqueues that nothing can ever end.
#ifndef DFRUN_SRC_SESSION_SERVED_QUEUES_H_
#define DFRUN_SRC_SESSION_SERVED_QUEUES_H_

#include <vector>

#include "src/graph/graph.h"
#include "src/passes/prune.h"

namespace dfrun {

// For a session whose only steps are `runs` of `graph`, one at a time. InvalidArgument names a node that takes from a
// queue, or reads the files that a queue names, where nothing in any of the runs puts elements into the queue or closes
// it. A queue whose handle goes anywhere else is taken to be served.
Status CheckQueuesServed(const Graph& graph, const std::vector<const RunSignature*>& runs);

// The same where `steps` steps of the first of the runs put more elements into a queue than it holds, and nothing in
// any of them takes some out or closes it. Graphs with conditionals and loops are not looked at: how often their nodes
// run is not known.
Status CheckQueuesEmptied(const Graph& graph, const std::vector<const RunSignature*>& runs, int64_t steps);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_SERVED_QUEUES_H_
