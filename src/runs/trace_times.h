// The time by kind of node in the traces of a run (src/session/trace/chrome_trace.h writes them).
#ifndef DFRUN_SRC_RUNS_TRACE_TIMES_H_
#define DFRUN_SRC_RUNS_TRACE_TIMES_H_

#include <cstdint>
#include <map>
#include <string>

#include "src/base/status.h"

namespace dfrun {

struct TraceTimes {
  int64_t steps = 0;                       // that were traced
  std::map<std::string, double> us_by_op;  // microseconds of all nodes of the op, on all ranks, in all of those steps
};

// Reads trace/rank-0.json and so on of a run directory; no steps where there is none. A file that ends early counts as
// far as it goes.
// Thread safety: any thread. Blocks: on the files.
Result<TraceTimes> ReadTraceTimes(const std::string& run);

}  // namespace dfrun

#endif  // DFRUN_SRC_RUNS_TRACE_TIMES_H_
