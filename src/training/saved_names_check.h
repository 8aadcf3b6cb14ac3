// Finds the names and states that a save would refuse, from the graph, before the first step.
#ifndef DFRUN_SRC_TRAINING_SAVED_NAMES_CHECK_H_
#define DFRUN_SRC_TRAINING_SAVED_NAMES_CHECK_H_

#include <vector>

#include "src/graph/graph.h"
#include "src/training/job_graph.h"

namespace dfrun {

// InvalidArgument, with the node, where one checkpoint cannot hold all of this.
Status CheckSavable(const Graph& graph, const std::vector<KeptState>& kept);

// InvalidArgument, with the node, where an op that saves tensors is given a name that it refuses, by a constant. The
// kernels find the same, in the step.
Status CheckSaveOps(const Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_SAVED_NAMES_CHECK_H_
