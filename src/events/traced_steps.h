// Times of nodes for TensorBoard's graph, from the traces that ranks have written.
#ifndef DFRUN_SRC_EVENTS_TRACED_STEPS_H_
#define DFRUN_SRC_EVENTS_TRACED_STEPS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/base/status.h"

namespace dfrun {

// The serialised RunMetadata (step_stats.proto) of each step, by the session's number for it, that the traces hold
// together: device, node, start and length in microseconds, rounded up to 1. DataLoss where a file is no trace of
// src/session/trace/chrome_trace.h.
// Blocks: on the file system.
Result<std::map<int64_t, std::string>> TracedSteps(const std::vector<std::string>& trace_files);

}  // namespace dfrun

#endif  // DFRUN_SRC_EVENTS_TRACED_STEPS_H_
