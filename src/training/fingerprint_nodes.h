// Adds the nodes that give the fingerprints of the variables after a step.
#ifndef DFRUN_SRC_TRAINING_FINGERPRINT_NODES_H_
#define DFRUN_SRC_TRAINING_FINGERPRINT_NODES_H_

#include "src/training/job_graph_draft.h"

namespace dfrun {

// Where the job is to have fingerprints, adds one node for each device that has variables of `draft.kept`, which is whole
// by then, to the fetches of the step, and describes them in JobGraph::fingerprints. The node is on the device, where
// that has a kernel, else on the task's host, and runs after all nodes of the step that may change its variables. It is a fetch alone: a step that
// fetches nothing runs none. A `run:` job has fingerprints where the spec has a variable and steps are not in flight
// together, whose updates have no order. A step of a replica that runs for itself has no state of all: there they are
// fetches of a step of their own, ReplicasApart::state.
Status AddFingerprints(JobGraphDraft& draft);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_FINGERPRINT_NODES_H_
