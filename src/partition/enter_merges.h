// Makes values that exist in some iterations of a loop exist in all of them.
//
// The output of an Enter exists in iteration 0, that of a NextIteration in all others. The Merge of a loop variable
// reads both. Any other reader of either does not run in the iterations without the value, and a reader on another
// device would wait there for ever. So such readers get the Merge of a new loop variable, whose other half is dead:
//
//   Enter -> Merge -> the readers, and Switch on false -> NextIteration, back to the Merge
//   an Enter that is dead -> Merge -> the readers, to which the NextIteration leads back
#ifndef DFRUN_SRC_PARTITION_ENTER_MERGES_H_
#define DFRUN_SRC_PARTITION_ENTER_MERGES_H_

#include "src/graph/graph.h"

namespace dfrun {

// Changes all loops, also those on one device, so that a dead value has the same effect on one device as on several.
// Enters with is_constant and refs stay as they are.
Status MergeLoopEntries(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PARTITION_ENTER_MERGES_H_
