// A spec's graph together with what its training adds to it.
#ifndef DFRUN_SRC_TRAINING_TRAINING_GRAPH_H_
#define DFRUN_SRC_TRAINING_TRAINING_GRAPH_H_

#include "src/placement/cluster.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// All nodes of the spec, under their names and with their own devices, and those of its training by one replica,
// whatever its strategy: gradients, slots and updates, a node `train` that makes a step, and a node `init` that gives
// the variables and slots their first values. A learning rate that changes is the placeholder `train/learning_rate`.
// The spec has a `train:`.
Result<Graph> MakeTrainingGraph(const LoadedSpec& spec, const Cluster& cluster);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_TRAINING_GRAPH_H_
