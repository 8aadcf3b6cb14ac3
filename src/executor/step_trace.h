// What happened in the steps that are traced: a record a node that ran.
#ifndef DFRUN_SRC_EXECUTOR_STEP_TRACE_H_
#define DFRUN_SRC_EXECUTOR_STEP_TRACE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "src/base/mutex.h"

namespace dfrun {

struct TraceRecord {
  int64_t step_id = 0;
  uint64_t iteration = 0;  // OpContext::iteration() of the node
  std::string node = {};
  std::string op = {};
  std::string device = {};
  int thread = 0;            // small numbers, in order of appearance
  bool is_async = false;     // the kernel held no thread while it waited
  bool is_enqueued = false;  // the kernel enqueued its work on the device's stream; `end_ns` is when that was done
  int64_t start_ns = 0;      // of the steady clock
  int64_t end_ns = 0;        // of an asynchronous kernel: when its callback ran
  int64_t bytes = -1;        // moved, of Send and Recv; -1: others
};

// Collects records; each thread fills a buffer of its own. src/trace writes them to files.
// Thread safety: all methods from any thread; Take() only while no step that writes here is running.
class StepTrace {
 public:
  StepTrace();
  // Of the clock that records use.
  static int64_t NowNs();

  void Add(TraceRecord record);
  // All records so far, ordered by start; forgets them.
  std::vector<TraceRecord> Take();

 private:
  struct ThreadBuffer {
    std::thread::id owner;
    int thread = 0;
    std::vector<TraceRecord> records;
  };
  ThreadBuffer& BufferOfThisThread();

  const uint64_t id_;  // unlike that of any other trace
  Mutex mu_;
  std::vector<std::unique_ptr<ThreadBuffer>> buffers_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_TRACE_H_
