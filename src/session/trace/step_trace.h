// The sink of a rank: it keeps the records of traced steps until they are written.
#ifndef DFRUN_SRC_SESSION_TRACE_STEP_TRACE_H_
#define DFRUN_SRC_SESSION_TRACE_STEP_TRACE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "src/base/mutex.h"
#include "src/session/trace/record_buffer.h"
#include "src/session/trace/trace.h"

namespace dfrun {

// Each thread fills a buffer of its own. Thread safety: all methods from any thread. Take() returns all records of
// steps that have ended; a message that completes meanwhile may be left for the next call.
class StepTrace final : public TraceSink {
 public:
  StepTrace();

  void AddPlan(uint64_t plan, FunctionRef<TraceNames()> names) override EXCLUDES(mu_);
  void Add(const TraceRecord& record) override EXCLUDES(mu_);
  // Returns all records so far, and forgets them and the plans. No traced step may be running.
  Trace Take() EXCLUDES(mu_);

 private:
  struct ThreadBuffer {
    std::thread::id owner;
    int32_t thread = 0;  // small numbers, in order of appearance
    RecordBuffer records;
  };
  ThreadBuffer& BufferOfThisThread();

  const uint64_t id_;  // unlike that of any other trace
  Mutex mu_;
  std::vector<std::unique_ptr<ThreadBuffer>> buffers_ GUARDED_BY(mu_);
  std::map<uint64_t, TraceNames> plans_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_TRACE_STEP_TRACE_H_
