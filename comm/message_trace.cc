#include "comm/message_trace.h"

namespace dfrun::comm {

void MessageTrace::Record(const TracedCall& call) const {
  TraceSink* const sink = sink_.load(std::memory_order_acquire);
  if (sink == nullptr) return;
  TraceRecord record;
  record.kind = call.is_send ? TraceRecord::Kind::kSend : TraceRecord::Kind::kRecv;
  record.start_ns = call.posted_ns;
  record.end_ns = TraceSink::NowNs();
  record.bytes = static_cast<int64_t>(call.bytes);
  record.peer = call.peer;
  record.channel = call.tag.channel;
  record.slot = call.tag.slot;
  sink->Add(record);
}

}  // namespace dfrun::comm
