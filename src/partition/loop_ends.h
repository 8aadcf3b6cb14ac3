// Loops that would go on although their condition is false.
//
// A NextIteration asks for another iteration whenever it is alive, and there are some that no Switch on the loop's
// condition stands before. Such an iteration would begin on one device alone, and what it sends would never be
// received. So it waits for the condition's true side:
//
//   LoopCond -> Switch on itself, true side -> Identity -> a control edge to the NextIteration
#ifndef DFRUN_SRC_PARTITION_LOOP_ENDS_H_
#define DFRUN_SRC_PARTITION_LOOP_ENDS_H_

#include "src/graph/graph.h"

namespace dfrun {

// Of all loops that have one LoopCond, also those on one device: how often a loop runs is the same anywhere. Errors as
// those of BuildFrameTree().
Status EndLoopsByConditions(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PARTITION_LOOP_ENDS_H_
