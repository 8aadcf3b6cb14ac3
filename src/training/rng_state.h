// Random nodes go on after a resumption where they were: their places in their sequences of numbers are saved and
// restored with the variables.
#ifndef DFRUN_SRC_TRAINING_RNG_STATE_H_
#define DFRUN_SRC_TRAINING_RNG_STATE_H_

#include "src/training/job_graph_draft.h"

namespace dfrun {

// For each random node with a sequence of its own that the draft has by now: a RandomPosition beside it, under its name
// + "/position", among `draft.saved`. Nodes with a partial device are fixed to one, so that every signature finds them
// there: the first worker if it may be, else the first device that may.
Status SaveRngState(JobGraphDraft& draft);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_RNG_STATE_H_
