// The sink to which the executor and the transports write the events of traced steps: records of numbers, which
// src/session/trace collects and names when it writes a file.
#ifndef DFRUN_SRC_FRAMEWORK_STEP_TRACE_SINK_H_
#define DFRUN_SRC_FRAMEWORK_STEP_TRACE_SINK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/threads.h"

namespace dfrun {

// A node that ran, or a message of a transport.
struct TraceRecord {
  enum class Kind : uint8_t { kNode, kSend, kRecv };

  Kind kind = Kind::kNode;
  bool is_async = false;     // node: the kernel held no thread while it waited
  bool is_enqueued = false;  // node: it enqueued its work on the device's stream; `end_ns` is when that was done
  int32_t thread = 0;        // the sink's number for the thread that recorded a node
  int32_t slot = 0;          // the step's slot among those in flight (MessageTag)
  int64_t start_ns = 0;      // TraceSink::NowNs(); message: when it was posted
  int64_t end_ns = 0;        // asynchronous kernel: when its callback ran; message: when it was complete
  int64_t bytes = -1;        // moved, of messages and of nodes that send or receive; -1: of others

  // Set for a node.
  int64_t step_id = 0;
  uint64_t iteration = 0;  // OpContext::iteration()
  uint64_t plan = 0;       // TraceSink::AddPlan
  uint32_t node = 0;       // in the plan

  // Set for a message, from or to another rank.
  int32_t channel = 0;
  int32_t peer = 0;
};

// Names of the numbers in the records of a plan's nodes.
struct TraceNames {
  struct Node {
    std::string name;
    std::string op;
    int32_t sends = -1;     // the channel that it sends on; -1: it is no Send
    int32_t receives = -1;  // the channel that it receives on; -1: it is no Recv
  };
  std::string device;
  std::vector<Node> nodes;
};

// Thread safety: all methods from any thread, at any time.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  // The steady clock that records use, in ns.
  static int64_t NowNs();

  // Announces a traced step of the plan; `plan` is a number that no other plan of the process has. `names` is called
  // where the plan is not known yet.
  virtual void AddPlan(uint64_t plan, FunctionRef<TraceNames()> names) = 0;
  // Takes no lock.
  virtual void Add(const TraceRecord& record) = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_STEP_TRACE_SINK_H_
