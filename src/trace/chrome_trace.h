// Step traces as Chrome trace files, which chrome://tracing and Perfetto show.
// Source: "Trace Event Format", the JSON form with complete events ("ph": "X").
#ifndef DFRUN_SRC_TRACE_CHROME_TRACE_H_
#define DFRUN_SRC_TRACE_CHROME_TRACE_H_

#include <span>
#include <string>

#include "src/base/status.h"
#include "src/executor/step_trace.h"

namespace dfrun {

// One process (the rank), and a named row a thread; asynchronous nodes have rows of their own. Every slice has the
// node's name, and its op, device and step as args, with the bytes of a Send or Recv. An arrow goes from each Send to
// its Recv: between ranks too, in a viewer that is given the events of all of them. Times are microseconds of the
// steady clock, which ranks of one host share. `records` are ordered by start.
std::string ChromeTraceJson(std::span<const TraceRecord> records, int rank);
// "<prefix>rank-<rank>.json": where a rank's trace goes.
std::string TracePath(const std::string& prefix, int rank);
// Into a file; makes its directory. Io if that fails.
Status WriteChromeTrace(const std::string& path, std::span<const TraceRecord> records, int rank);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRACE_CHROME_TRACE_H_
