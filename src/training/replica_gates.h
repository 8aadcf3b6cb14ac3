// Gates of replicas that have variables of their own: each replica's updates wait for its own findings alone
// (src/graph/update_gate.h), and are left out where its own loss or gradients are not finite.
#ifndef DFRUN_SRC_TRAINING_REPLICA_GATES_H_
#define DFRUN_SRC_TRAINING_REPLICA_GATES_H_

#include <vector>

#include "src/training/job_graph_draft.h"

namespace dfrun {

// Adds the gates, a variable "replica_0/train/not_finite" of each replica, which counts its findings
// (src/framework/step/replica_findings.h) and is saved, and JobGraph::replica_findings, which reads these. `found`: by
// replica, the finding of a step. `on_nan` decides as update_gates.h says, but for `stop`: from the first finding on a
// replica makes no update.
Status AddReplicaGates(const std::vector<Output>& found, JobGraphDraft& draft);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_REPLICA_GATES_H_
