// In which row of a timeline each record of a trace is drawn. Viewers want the slices of a row to nest.
#ifndef DFRUN_SRC_TRACE_TRACE_LANES_H_
#define DFRUN_SRC_TRACE_TRACE_LANES_H_

#include <span>
#include <string>
#include <vector>

#include "src/executor/step_trace.h"

namespace dfrun {

struct TraceLanes {
  std::vector<std::string> names;  // one a lane: "thread 0", ..., "waiting 0", ...
  std::vector<int> of_record;      // an index into `names` for each record
};

// A lane a thread for the kernels that it called. Asynchronous nodes wait beside each other and beside those: they get
// as few further lanes as keep them from overlapping. `records` are ordered by start.
TraceLanes LayOutLanes(std::span<const TraceRecord> records);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRACE_TRACE_LANES_H_
