// Step traces as Chrome trace files, which chrome://tracing and Perfetto show.
// Source: "Trace Event Format", the JSON form with complete events ("ph": "X").
#ifndef DFRUN_SRC_TRACE_CHROME_TRACE_H_
#define DFRUN_SRC_TRACE_CHROME_TRACE_H_

#include <span>
#include <string>

#include "src/base/status.h"
#include "src/executor/step_trace.h"

namespace dfrun {

// One process (the rank), one row a thread; every event has the node's name, its op, device and step as args, and the
// bytes of a Send or Recv. Times are microseconds of the steady clock, which ranks of one host share.
std::string ChromeTraceJson(std::span<const TraceRecord> records, int rank);
// "<prefix>rank-<rank>.json": where a rank's trace goes.
std::string TracePath(const std::string& prefix, int rank);
// Into a file; makes its directory. Io if that fails.
Status WriteChromeTrace(const std::string& path, std::span<const TraceRecord> records, int rank);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRACE_CHROME_TRACE_H_
