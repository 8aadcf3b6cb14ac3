// The graph that a job runs, and its parts: what one request runs of it.
#ifndef DFRUN_SRC_TRAINING_JOB_GRAPH_H_
#define DFRUN_SRC_TRAINING_JOB_GRAPH_H_

#include <optional>
#include <string>
#include <vector>

#include "src/checkpoint/shard.h"
#include "src/graph/graph.h"
#include "src/passes/prune.h"

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

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_JOB_GRAPH_H_
