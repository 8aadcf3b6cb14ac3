// Step traces as Chrome trace files, which chrome://tracing and Perfetto show.
// Source: "Trace Event Format", the JSON form with complete events ("ph": "X").
#ifndef DFRUN_SRC_SESSION_TRACE_CHROME_TRACE_H_
#define DFRUN_SRC_SESSION_TRACE_CHROME_TRACE_H_

#include <string>

#include "src/base/status.h"
#include "src/session/trace/trace.h"

namespace dfrun {

// Returns the trace of one process (the rank) with a named row a thread; asynchronous nodes have rows of their own, and
// so have the transport's messages. Every slice of a node has the node's name, and its op, device and step as args,
// with the bytes of a Send or Recv. A message has the name of its tensor, and peer, channel, slot and bytes, with the
// step if its node was traced. An arrow leads from each Send to its Recv, also between ranks if the viewer is given the
// events of all of them. Times are microseconds of the steady clock, which ranks of one host share.
std::string ChromeTraceJson(const Trace& trace, int rank);
// The path of a rank's trace, "<prefix>rank-<rank>.json".
std::string TracePath(const std::string& prefix, int rank);
// Writes the trace into a file, whose directory it makes. Io if that fails.
Status WriteChromeTrace(const std::string& path, const Trace& trace, int rank);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_TRACE_CHROME_TRACE_H_
