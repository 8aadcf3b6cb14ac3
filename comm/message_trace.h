// What a transport records of its messages.
#ifndef DFRUN_COMM_MESSAGE_TRACE_H_
#define DFRUN_COMM_MESSAGE_TRACE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "comm/message_tag.h"
#include "src/framework/trace_sink.h"

namespace dfrun::comm {

// A Send or a Recv, from when it is posted until it is complete.
struct TracedCall {
  bool is_send;
  int peer;
  MessageTag tag;
  size_t bytes;
  int64_t posted_ns;  // MessageTrace::NowNs() at that time
};

// Where a transport records them. Thread safety: all methods from any thread.
class MessageTrace {
 public:
  // Null: nowhere, from now on. The sink outlives the transport's threads.
  void Start(TraceSink* sink) { sink_.store(sink, std::memory_order_release); }

  // 0 where nothing is recorded.
  int64_t NowNs() const { return sink_.load(std::memory_order_relaxed) == nullptr ? 0 : TraceSink::NowNs(); }
  // A call has moved its message.
  void Completed(const TracedCall& call) const {
    if (call.posted_ns != 0) [[unlikely]]
      Record(call);
  }

 private:
  void Record(const TracedCall& call) const;

  std::atomic<TraceSink*> sink_{nullptr};
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_MESSAGE_TRACE_H_
