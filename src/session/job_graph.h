// From a spec to the one graph that its job runs: replicas of the model with their gradients, updates, initial values,
// evaluation, saving and restoring.
//
// Synchronous data parallelism: replica r of R reads the r-th of R equal slices of the batch, gradients are summed in
// the order of the replicas and divided by R, one update a variable. R is the spec's: nothing here depends on the rank
// count but where nodes are, so the bits of the result do not either.
// In a step, a variable is updated after every reader of it has run (control edges).
#ifndef DFRUN_SRC_SESSION_JOB_GRAPH_H_
#define DFRUN_SRC_SESSION_JOB_GRAPH_H_

#include <optional>
#include <string>
#include <vector>

#include "src/checkpoint/shard.h"
#include "src/graph/graph.h"
#include "src/passes/prune.h"
#include "src/placement/cluster.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// A part of the graph that one request runs, with the names of what it fetches.
struct JobStep {
  RunSignature signature;
  std::vector<std::string> names;  // of the fetches
};

// An evaluation's pass over the samples that it reads in batches.
struct EvaluationPass {
  JobStep batch;                // fetches the metrics; feeds the position of its first sample where samples > 0
  std::optional<JobStep> rest;  // the same for the last batch, where that is a shorter one
  int64_t samples = 0;          // 0: what is read is no batch of more, and a step is the whole evaluation
  int64_t batch_samples = 0;
};

struct JobGraph {
  Graph graph;
  RunSignature init;  // gives every variable its first value
  JobStep step;       // feeds the learning rate if feeds_learning_rate; scalars of a training step, or a run's fetches
  bool feeds_learning_rate = false;
  EvaluationPass evaluation;
  RunSignature save;                     // feeds the directory; fetches a serialised ShardEntry a shard
  RunSignature restore;                  // feeds the directory
  RunSignature not_finite;               // fetches a report a shard: what of `save` is not finite; "" where all is
  RunSignature rewind;                   // brings random nodes back to where the last step began
  RunSignature checked;                  // fetches what a step's updates wait for: the loss, and a clipped norm
  std::vector<SavedVariable> variables;  // what a checkpoint holds, the positions of random nodes among it
  std::vector<size_t> advancing;         // of JobSpec::inputs, those whose position a step moves on
};

// How the spec's `cluster` section divides ranks, as MakeCluster() takes it.
std::vector<JobTasks> TasksOf(const JobSpec& job);

// An error of the compile as one of the spec at `path`: what it finds is the spec's fault. Others stay what they are.
Status AsSpecError(const std::string& path, const Status& status);

// InvalidArgument where the model cannot be trained (no trainable variable under the loss, an op without gradient, a
// variable of unknown shape, a placeholder that no step feeds), with the place in the spec.
Result<JobGraph> BuildJobGraph(const LoadedSpec& spec, const Cluster& cluster);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_JOB_GRAPH_H_
