// The nodes of a training step that look whether what its updates are made of is finite: the loss, and the gradients as
// the optimizer takes them, or their norm where that is clipped.
#ifndef DFRUN_SRC_TRAINING_FINITE_CHECKS_H_
#define DFRUN_SRC_TRAINING_FINITE_CHECKS_H_

#include <vector>

#include "src/training/job_graph_draft.h"

namespace dfrun {

// By training site, from draft.checked: what is found of the values, a number as of src/graph/update_gate.h. Values are
// looked at where they are applied, in groups, so that the check of a group runs while gradients of others are being
// computed, and numbers alone travel. Sites find the same: what they check has equal bits. Called when devices have
// been chosen.
Result<std::vector<Output>> AddFiniteChecks(JobGraphDraft& draft);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_FINITE_CHECKS_H_
