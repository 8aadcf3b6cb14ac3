// Gates of a training step: its updates wait for the check of the whole step's loss and gradients, and are left out
// where one is not finite (src/graph/update_gate.h).
#ifndef DFRUN_SRC_TRAINING_UPDATE_GATES_H_
#define DFRUN_SRC_TRAINING_UPDATE_GATES_H_

#include "src/training/job_graph_draft.h"

namespace dfrun {

// Adds the gates of a step's updates. Call when the draft has all writers of the step. Each rank at work gets one gate,
// and each device that leaves out updates by itself another; they read the findings of the draft's checked values at
// the training site of their rank, or at the first. `on_nan` decides which updates wait for a gate:
//   stop   all writers wait, positions of inputs too: the step can be run again as if it had not been;
//   skip   all but positions of inputs wait: the batch is used up;
//   warn   none waits.
// Replicas that have variables of their own get gates of their own (replica_gates.h).
Status AddUpdateGates(JobGraphDraft& draft);

// Adds the gates of the updates of a replica that runs for itself, as targets of its step: one on each device with such
// updates. With any `on_nan` they leave out the updates of a step that has no share. Returns the number of the value
// that is not finite.
Result<Output> AddGatesOf(ReplicaApart& replica, JobGraphDraft& draft);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_UPDATE_GATES_H_
