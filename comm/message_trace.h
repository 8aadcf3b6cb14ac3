// A MessageTrace records the messages of a transport.
#ifndef DFRUN_COMM_MESSAGE_TRACE_H_
#define DFRUN_COMM_MESSAGE_TRACE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "comm/message_tag.h"
#include "src/framework/step/trace_sink.h"

namespace dfrun::comm {

// A Send or a Recv, from its posting to its completion.
struct TracedCall {
  bool is_send;
  int peer;
  MessageTag tag;
  size_t bytes;
  int64_t posted_ns;  // MessageTrace::NowNs() at the posting
};

// Passes the records of messages to a sink.
// Thread safety: all methods from any thread.
class MessageTrace {
 public:
  // Records to this sink from now on; null stops the recording. The sink must outlive the transport's threads.
  void Start(TraceSink* sink) { sink_.store(sink, std::memory_order_release); }

  // Returns the time, or 0 if nothing is recorded.
  int64_t NowNs() const { return sink_.load(std::memory_order_relaxed) == nullptr ? 0 : TraceSink::NowNs(); }
  // Records a call that has moved its message.
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
