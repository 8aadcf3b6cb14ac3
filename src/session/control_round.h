// A request other than for steps, for whose end rank 0 waits.
#ifndef DFRUN_SRC_SESSION_CONTROL_ROUND_H_
#define DFRUN_SRC_SESSION_CONTROL_ROUND_H_

#include <atomic>
#include <cstdint>

#include "src/session/control/rank_status.h"
#include "src/session/runtime.h"

namespace dfrun {

// Thread safety: one thread. Of a runtime of several ranks.
class ControlRound {
 public:
  explicit ControlRound(Runtime& runtime);
  ControlRound(const ControlRound&) = delete;
  ControlRound& operator=(const ControlRound&) = delete;

  int64_t number() const { return number_; }
  // Returns false after Finish() where the network has failed.
  bool ended() const { return ended_.load(std::memory_order_acquire); }
  // Notes that this rank is done with the request, and returns the first error in time, or that of the network.
  // Blocks: until all ranks are done.
  Status Finish(const RankStatus& own);

 private:
  static void End(void* arg, Status status);

  WorkerPool& pool_;
  ControlPlane& control_;
  Status status_;
  std::atomic<bool> ended_{false};
  const int64_t number_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_CONTROL_ROUND_H_
