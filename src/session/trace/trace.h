// The records of traced steps, with names for their numbers.
#ifndef DFRUN_SRC_SESSION_TRACE_TRACE_H_
#define DFRUN_SRC_SESSION_TRACE_TRACE_H_

#include <cstdint>
#include <map>
#include <vector>

#include "src/framework/step/trace_sink.h"

namespace dfrun {

struct Trace {
  std::vector<TraceRecord> records;  // ordered by start
  std::map<uint64_t, TraceNames> plans;

  // Names in a record of a node.
  const std::string& device(const TraceRecord& record) const { return plans.at(record.plan).device; }
  const TraceNames::Node& node(const TraceRecord& record) const { return plans.at(record.plan).nodes[record.node]; }
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_TRACE_TRACE_H_
