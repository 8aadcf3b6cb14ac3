// What a training says of values that travel compressed.
#ifndef DFRUN_SRC_TRAINING_WIRE_METRICS_H_
#define DFRUN_SRC_TRAINING_WIRE_METRICS_H_

#include "src/training/job_graph_draft.h"

namespace dfrun {

// Where values may travel compressed, adds what a logged step fetches: `wire/ratio`, the bytes on the way by those of
// the values, and `wire/error`, what elements lost by what they were, both over all ranks since the last logged step; 0
// where none did.
Status AddWireMetrics(JobGraphDraft& draft);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_WIRE_METRICS_H_
