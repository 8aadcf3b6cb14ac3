// Random nodes go on after a resumption where they were: their places in their sequences of numbers are saved and
// restored with the variables.
#ifndef DFRUN_SRC_SESSION_RANDOM_POSITIONS_H_
#define DFRUN_SRC_SESSION_RANDOM_POSITIONS_H_

#include "src/session/job_graph_draft.h"

namespace dfrun {

// For each random node with a sequence of its own that the draft has by now: a RandomPosition beside it, under its name
// + "/position", among `draft.saved`. Nodes with a partial device are fixed to one, so that every signature finds them
// there: the first worker if it may be, else the first device that may.
Status KeepRandomPositions(JobGraphDraft& draft);

// The nodes with a sequence of their own go on in it over all signatures of a session, as TensorFlow's do: each plan
// has kernels of its own, so their places are objects of the device. `session` tells them from those of other sessions.
// Nodes of KeepRandomPositions() keep theirs.
void ShareRandomPositions(Graph& graph, int64_t session);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_RANDOM_POSITIONS_H_
