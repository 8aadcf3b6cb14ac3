// Values of a loop that are there in some of its iterations alone.
//
// What an Enter brings is there in iteration 0, what a NextIteration hands on in all others. The Merge of a loop
// variable reads both. Other readers of either run in no iteration where it is not there: what is on another device
// would wait there for ever. So they read the Merge of a loop variable of their own, whose other half is dead:
//
//   Enter -> Merge -> the readers, and Switch on false -> NextIteration, back to the Merge
//   an Enter that is dead -> Merge -> the readers, to which the NextIteration leads back
#ifndef DFRUN_SRC_PARTITION_LOOP_ENTRIES_H_
#define DFRUN_SRC_PARTITION_LOOP_ENTRIES_H_

#include "src/graph/graph.h"

namespace dfrun {

// Of all loops, also those on one device: what a dead value is to its readers is the same anywhere. What enters for
// good (is_constant) stays as it is, and so do refs.
Status MergeLoopEntries(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PARTITION_LOOP_ENTRIES_H_
