// The nodes that make the summaries of a training step, beside its scalars: serialised Summary messages with values of
// TensorBoard's plugins. They read what the step computes anyway and change nothing of it; a step without summaries
// runs none of them.
//
// A count is made on the host of the rank where the values are, so that small tensors travel:
//   weights/NAME     histogram of a variable after the step's update
//   gradients/NAME   histogram of the mean gradient, clipped where the training clips, that the update takes; of a
//   sparse
//                    one the rows that the batch has
//   values/NAME, pr_curves/NAME               over all replicas
//   images/NAME, audio/NAME, text/NAME        of the first replica
#ifndef DFRUN_SRC_TRAINING_SUMMARIES_H_
#define DFRUN_SRC_TRAINING_SUMMARIES_H_

#include "src/training/job_graph_draft.h"

namespace dfrun {

// Adds what is made before the updates. Call when the step's devices have been chosen and before its order is.
Status AddSummaries(JobGraphDraft& draft);

// Adds what reads variables behind their updates. Call when the step's order has been fixed.
Status AddWeightSummaries(JobGraphDraft& draft);

// Fills in JobGraph::summarized: one message a device. Call when `step` has all of its fetches.
Status FinishSummaries(JobGraphDraft& draft);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_SUMMARIES_H_
