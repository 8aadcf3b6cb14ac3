// Ends loops whose NextIterations do not depend on the condition.
//
// A NextIteration begins another iteration whenever it is alive, and a graph may have one that depends on no Switch on
// the loop's condition. The iteration would begin on its device alone, and no device would receive its Sends. So the
// node is made to wait for the condition's true side:
//
//   LoopCond -> Switch on itself, true side -> Identity -> a control edge to the NextIteration
#ifndef DFRUN_SRC_PARTITION_LOOP_TERMINATION_H_
#define DFRUN_SRC_PARTITION_LOOP_TERMINATION_H_

#include "src/graph/graph.h"

namespace dfrun {

// Changes all loops that have one LoopCond, also those on one device, so that a loop runs as often on one device as on
// several. Errors are those of BuildFrameTree().
Status EndLoopsByConditions(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PARTITION_LOOP_TERMINATION_H_
