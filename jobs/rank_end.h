// How this process ends where ranks cannot end in order: an error of the network, a rank that was lost.
#ifndef DFRUN_JOBS_RANK_END_H_
#define DFRUN_JOBS_RANK_END_H_

#include <atomic>
#include <memory>

#include "comm/bootstrap/process_group.h"
#include "comm/heartbeat/heartbeat.h"
#include "src/base/mutex.h"

namespace dfrun::jobs {

// What is bounded here: after a loss the steps have some seconds to end in, and who leads to say more of it; the rank
// that speaks for all ends the launcher's job, and where the launcher does not reach a rank, that ends itself.
// Thread safety: all methods from any thread.
class RankEnd {
 public:
  // The group outlives it.
  explicit RankEnd(comm::ProcessGroup& group) : group_(group) {}
  // Where a rank was lost this process does not get past it: MPI would wait for the lost rank.
  ~RankEnd();
  RankEnd(const RankEnd&) = delete;
  RankEnd& operator=(const RankEnd&) = delete;

  // Starts to watch the other ranks. Collective, once.
  Status StartHeartbeat(const comm::WatchTimes& times);
  // Null before.
  comm::Heartbeat* heartbeat() const { return heartbeat_.get(); }

  // Says the error, and ends every rank with its exit code. Who is not to speak waits first: who speaks ends it.
  [[noreturn]] void AbortAll(const Status& error);
  [[noreturn]] void AbortAfterLoss(const Status& error);
  // No step will ever go on: as after a loss, but of one rank at once, for nothing else ends its steps.
  void OnStuck(const Status& stuck);

 private:
  void OnLost(const Status& loss, int rank);
  void OnEnd(int rank, int exit_code);

  comm::ProcessGroup& group_;
  std::atomic<bool> is_ending_{false};
  Mutex mu_;
  Status loss_ GUARDED_BY(mu_);
  std::unique_ptr<comm::Heartbeat> heartbeat_;
};

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_RANK_END_H_
