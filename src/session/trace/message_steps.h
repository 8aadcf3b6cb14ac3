// Finds the steps and tensors that the messages of a trace carried, since a transport knows neither.
#ifndef DFRUN_SRC_SESSION_TRACE_MESSAGE_STEPS_H_
#define DFRUN_SRC_SESSION_TRACE_MESSAGE_STEPS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/session/trace/trace.h"

namespace dfrun {

// "x/_5" of "x/_Send_5" and "x/_Recv_5".
std::string TensorOf(const TraceNames::Node& node);

// Finds the node of a message among the trace's Sends and Recvs of the same channel and slot. A slot serves one step at
// a time, a Send begins before its messages are posted, and a Recv ends after its messages have arrived. Thread safety:
// const methods from any thread.
class MessageSteps {
 public:
  // The trace outlives it.
  explicit MessageSteps(const Trace& trace);

  // Returns the record of the node that a message was sent or received for; null where that was not traced.
  const TraceRecord* NodeOf(const TraceRecord& message) const;

 private:
  using Key = std::pair<int32_t, int32_t>;  // channel and slot

  std::map<Key, std::vector<const TraceRecord*>> sends_;     // ordered by start
  std::map<Key, std::vector<const TraceRecord*>> receives_;  // ordered by end
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_TRACE_MESSAGE_STEPS_H_
