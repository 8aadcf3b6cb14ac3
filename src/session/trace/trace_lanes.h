// Chooses the row of a timeline in which each record of a trace is drawn. Viewers want the slices of a row to nest.
#ifndef DFRUN_SRC_SESSION_TRACE_TRACE_LANES_H_
#define DFRUN_SRC_SESSION_TRACE_TRACE_LANES_H_

#include <span>
#include <string>
#include <vector>

#include "src/framework/step/trace_sink.h"

namespace dfrun {

struct TraceLanes {
  std::vector<std::string> names;  // one a lane: "thread 0", ..., "waiting 0", ..., "comm 0", ...
  std::vector<int> of_record;      // an index into `names` for each record
};

// Gives each thread a lane for the kernels that it called. Asynchronous nodes overlap these and each other, so they get
// further lanes, as few as keep them apart, and so do messages. `records` are ordered by start.
TraceLanes LayOutLanes(std::span<const TraceRecord> records);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_TRACE_TRACE_LANES_H_
