// Traces made by hand.
#ifndef DFRUN_TESTS_UNIT_SESSION_TRACE_TRACE_MAKER_H_
#define DFRUN_TESTS_UNIT_SESSION_TRACE_TRACE_MAKER_H_

#include <cstdint>
#include <string>

#include "src/session/trace/trace.h"

namespace dfrun::testing {

// Makes traces. Nodes belong to one plan; records are of step 7 and slot 0, from rank 1 or to it, ordered by start.
class TraceMaker {
 public:
  TraceMaker() { trace_.plans[kPlan].device = "/job:worker/task:0/device:cpu:0"; }

  const Trace& trace() const { return trace_; }
  uint32_t Node(const std::string& name, const std::string& op) { return Add({name, op}); }
  uint32_t Send(const std::string& name, int32_t channel) { return Add({name, "_Send", channel, -1}); }
  uint32_t Recv(const std::string& name, int32_t channel) { return Add({name, "_Recv", -1, channel}); }

  TraceRecord& Ran(uint32_t node, int thread, int64_t start_ns, int64_t end_ns) {
    return Add({.thread = thread, .start_ns = start_ns, .end_ns = end_ns, .step_id = 7, .plan = kPlan, .node = node});
  }
  TraceRecord& Waited(uint32_t node, int thread, int64_t start_ns, int64_t end_ns) {
    TraceRecord& record = Ran(node, thread, start_ns, end_ns);
    record.is_async = true;
    return record;
  }
  TraceRecord& Message(TraceRecord::Kind kind, int32_t channel, int64_t start_ns, int64_t end_ns) {
    return Add({.kind = kind, .start_ns = start_ns, .end_ns = end_ns, .bytes = 32, .channel = channel, .peer = 1});
  }

 private:
  static constexpr uint64_t kPlan = 3;

  uint32_t Add(const TraceNames::Node& node) {
    trace_.plans[kPlan].nodes.push_back(node);
    return static_cast<uint32_t>(trace_.plans[kPlan].nodes.size()) - 1;
  }
  TraceRecord& Add(const TraceRecord& record) {
    trace_.records.push_back(record);
    return trace_.records.back();
  }

  Trace trace_;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_SESSION_TRACE_TRACE_MAKER_H_
