// Dequeues and enqueues that nothing can ever end.
#ifndef DFRUN_SRC_TRAINING_CHECKS_QUEUE_LIVENESS_CHECK_H_
#define DFRUN_SRC_TRAINING_CHECKS_QUEUE_LIVENESS_CHECK_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/graph/graph.h"
#include "src/passes/prune.h"

namespace dfrun {

// Checks a session whose only steps are `runs` of `graph`. InvalidArgument names a node that takes from a queue, or
// reads the files that a queue names, where nothing in any of the runs puts elements into the queue or closes it, and
// tells the remedy: `advice`, and the nodes that would put elements into it. A queue whose handle goes anywhere else
// counts as served.
Status CheckQueuesServed(const Graph& graph, const std::vector<const RunSignature*>& runs, const char* advice);

// A run that is made so many times.
struct CountedRun {
  const RunSignature* run;
  int64_t times;
};

// Checks a session whose steps are these runs, in order and one at a time. InvalidArgument names a node that waits for
// ever because the runs until then put fewer elements into its queue than they take out, or more than it holds. It
// checks only queues that it can count: none in graphs with conditionals and loops, nor those in `uncounted`, nor those
// that other ops use.
Status CheckQueueBalance(const Graph& graph, const std::vector<CountedRun>& runs,
                         const std::set<std::string>& uncounted);

// The queues that a run puts elements into, by name: the outputs by which its nodes know them.
std::map<std::string, Output> QueuesFilled(const Graph& graph, const RunSignature& run);
// The names of the queues that a run uses in any way.
std::set<std::string> QueuesUsed(const Graph& graph, const RunSignature& run);

// Returns InvalidArgument where `steps` steps of the first of the runs put more elements into a queue than it holds,
// and nothing in any of them takes some out or closes it. Graphs with conditionals and loops are not looked at: how
// often their nodes run is not known.
Status CheckQueuesEmptied(const Graph& graph, const std::vector<const RunSignature*>& runs, int64_t steps);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_CHECKS_QUEUE_LIVENESS_CHECK_H_
