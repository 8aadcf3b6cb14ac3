// Tells whether a partition may run in several steps at the same time.
#ifndef DFRUN_SRC_SESSION_STEP_OVERLAP_H_
#define DFRUN_SRC_SESSION_STEP_OVERLAP_H_

#include "src/graph/graph.h"

namespace dfrun {

// Returns true where a step leaves nothing behind that another step of the graph could find: every value is of one
// step, and variables are only read. False with a node that writes a variable, takes random numbers from a sequence, or
// has another state (queues, readers, tables, files): steps of such a graph run one after the other, in the order of
// the requests, so that they have the results of a run alone.
bool StepsMayOverlap(const Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_STEP_OVERLAP_H_
