// State that a job keeps beside its variables: the positions of random nodes in their sequences of numbers, and the
// states of objects that outlive steps (queues, tables, accumulators, readers, variables behind handles, what samplers
// learned). Checkpoints save and restore it with the variables, so that a resumed job goes on where it was.
#ifndef DFRUN_SRC_TRAINING_KEPT_STATE_H_
#define DFRUN_SRC_TRAINING_KEPT_STATE_H_

#include "src/training/job_graph_draft.h"

namespace dfrun {

// Adds to `draft.kept` the state of every node in the draft, and beside each such node the node that takes its state.
// An object that several nodes name is kept once. Nodes with a partial device are fixed to the first device of the
// cluster that fits, so that every signature finds them there. `draft.job.unkept` names states that no checkpoint can
// hold.
Status KeepState(JobGraphDraft& draft);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_KEPT_STATE_H_
