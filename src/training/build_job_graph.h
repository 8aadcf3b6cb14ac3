// Builds the one graph that a spec's job runs: replicas of the model with their gradients, updates, initial values,
// evaluation, saving and restoring.
//
// Replica r of R reads the r-th of R equal slices of the batch. The strategy (strategy.h) decides on the gradients:
// `sync` sums them in the order of the replicas and divides by R, and makes one update a variable, or of each copy of
// one (variable_copies.h); with `local` each replica updates variables of its own. R is the spec's: the rank count
// decides nothing but the devices of nodes, so the bits of the result do not depend on it.
// In a step, a variable is updated after every reader of it has run (control edges).
#ifndef DFRUN_SRC_TRAINING_BUILD_JOB_GRAPH_H_
#define DFRUN_SRC_TRAINING_BUILD_JOB_GRAPH_H_

#include <string>
#include <vector>

#include "src/graph/node_placement.h"
#include "src/placement/cluster.h"
#include "src/spec/job_spec.h"
#include "src/training/job_graph.h"

namespace dfrun {

// The division of the ranks by the spec's `cluster` section, as MakeCluster() takes it.
std::vector<JobTasks> TasksOf(const JobSpec& job);

// Makes an error of the compile one of the spec at `path`, where the spec is at fault. Other errors stay as they are.
Status AsSpecError(const std::string& path, const Status& status);

// Returns InvalidArgument where the model cannot be trained (no trainable variable under the loss, an op without
// gradient, a variable of unknown shape, a placeholder that no step feeds), with the location in the spec.
// Nodes that `placement` has are on its devices; it is an error for it to have a node that the job has not, or one that
// must be elsewhere.
// `made_replicas`: the replicas of `strategy: sync` whose nodes are made, where it is not 0; see Replicas::Add(). Such
// a graph is to be looked at, not to be run.
Result<JobGraph> BuildJobGraph(const LoadedSpec& spec, const Cluster& cluster, const NodePlacement& placement = {},
                               int made_replicas = 0);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_BUILD_JOB_GRAPH_H_
