// Metrics of a training about values that travel compressed.
#ifndef DFRUN_SRC_TRAINING_WIRE_METRICS_H_
#define DFRUN_SRC_TRAINING_WIRE_METRICS_H_

#include "src/training/job_graph_draft.h"

namespace dfrun {

// Adds fetches to a logged step where values may travel compressed: `wire/ratio`, the bytes on the way divided by the
// bytes of the values, and `wire/error`, the sum of the errors of the elements divided by the sum of the elements. Both
// are over all ranks since the last logged step; 0 if none travelled.
Status AddWireMetrics(JobGraphDraft& draft);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_WIRE_METRICS_H_
