// A spec's graph together with the nodes that its training adds.
#ifndef DFRUN_SRC_TRAINING_TRAINING_GRAPH_H_
#define DFRUN_SRC_TRAINING_TRAINING_GRAPH_H_

#include <string>

#include "src/placement/cluster.h"
#include "src/spec/job_spec.h"

namespace dfrun {

struct TrainingGraph {
  Graph graph;
  std::string step;  // a node that makes a step
  std::string init;  // one that gives the variables and slots their first values
};

// Returns all nodes of the spec, under their names and with their own devices, and those of its training by one
// replica, whatever its strategy: gradients, slots and updates, and the two nodes of TrainingGraph: `train` and `init`,
// or where the spec has nodes of these names the first of `train_1`, `train_2`, ... that it has not. A learning rate
// that changes is the placeholder `train/learning_rate`. The spec has a `train:`.
Result<TrainingGraph> MakeTrainingGraph(const LoadedSpec& spec, const Cluster& cluster);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_TRAINING_GRAPH_H_
