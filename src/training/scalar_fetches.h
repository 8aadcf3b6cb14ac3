// The scalars that a step of training reports.
#ifndef DFRUN_SRC_TRAINING_SCALAR_FETCHES_H_
#define DFRUN_SRC_TRAINING_SCALAR_FETCHES_H_

#include "src/training/replicas.h"

namespace dfrun {

// The dtype of the learning rate: float64 where a variable of it is trained, else float32.
DType LearningRateDType(const Replicas& replicas, const Graph& graph);

// Fetches, in the draft's step, the loss and the summaries, as means over the replicas; of a summary that has no mean
// the first replica's. The draft gets the loss and the values that are summarized.
Status FetchScalars(const Replicas& replicas, JobGraphDraft& draft);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_SCALAR_FETCHES_H_
