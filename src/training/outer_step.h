// The step between steps that brings replicas with variables of their own together.
//
// Source: DiLoCo (Douillard et al. 2023), Algorithm 1. The outer gradient of a trained variable is the value that it
// had less the mean of the replicas' values, summed in their order; Nesterov momentum applies it. A variable that the
// model assigns gets what its `reduce` makes of the replicas' values. Then each replica begins with the job's values.
#ifndef DFRUN_SRC_TRAINING_OUTER_STEP_H_
#define DFRUN_SRC_TRAINING_OUTER_STEP_H_

#include <cstdint>

#include "src/training/job_graph_draft.h"

namespace dfrun {

struct OuterStepOptions {
  int64_t every = 1;  // steps
  double learning_rate = 1;
  double momentum = 0;
  // Each replica's outer gradient, of float32, is cut to its upper 16 bits where it is, so that a value does not depend
  // on which replicas share a rank.
  bool compresses = false;
};

// Adds JobGraph::sync, over JobGraphDraft::replicated, and the outer momentum "W/OuterMomentum" of each trained
// variable W. Nothing is written where a replica has found a value that is not finite. Call when the nodes of the step
// are all there: none of these may be ordered into it.
Status AddOuterStep(const OuterStepOptions& options, JobGraphDraft& draft);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_OUTER_STEP_H_
