// Worker: the part of a rank other than 0. It registers the partitions that rank 0 sends, and runs them on request.
#ifndef DFRUN_SRC_SESSION_WORKER_H_
#define DFRUN_SRC_SESSION_WORKER_H_

#include "src/session/runtime.h"

namespace dfrun {

// Serves the requests of rank 0 on another rank.
// Thread safety: one thread.
class Worker {
 public:
  // The runtime outlives the worker.
  explicit Worker(Runtime& runtime);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Serves requests until rank 0 calls Shutdown(); returns the status that it gave, or the error of the network that
  // ended the connection.
  // Blocks: polls, then yields, then sleeps briefly while there is nothing to do.
  Status Serve();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Rank 0, after the last session: ends Serve() on every other rank with `status`.
Status Shutdown(Runtime& runtime, const Status& status = Status());

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_WORKER_H_
