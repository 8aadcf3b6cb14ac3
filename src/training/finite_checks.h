// The nodes of a training step that check whether the values behind its updates are finite: the loss, and the gradients
// as the optimizer takes them, or their norm where that is clipped.
#ifndef DFRUN_SRC_TRAINING_FINITE_CHECKS_H_
#define DFRUN_SRC_TRAINING_FINITE_CHECKS_H_

#include <vector>

#include "src/training/job_graph_draft.h"

namespace dfrun {

// Adds the checks and returns their findings by training site, from draft.checked: a number as src/graph/update_gate.h
// says. Values are checked where they are made, in groups, so that the check of a group runs while gradients of
// others are being computed, and numbers alone travel. All sites find the same, because they check equal bits. Call
// when devices have been chosen.
Result<std::vector<Output>> AddFiniteChecks(JobGraphDraft& draft);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_FINITE_CHECKS_H_
