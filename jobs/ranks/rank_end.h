// RankEnd ends this process when the ranks cannot end in order: after an error of the network, or when a rank was lost.
#ifndef DFRUN_JOBS_RANKS_RANK_END_H_
#define DFRUN_JOBS_RANKS_RANK_END_H_

#include <atomic>
#include <memory>

#include "comm/bootstrap/process_group.h"
#include "comm/heartbeat/heartbeat.h"
#include "src/base/mutex.h"

namespace dfrun::jobs {

// Bounds the end of the job. After a loss the steps have some seconds to end, and rank 0 to report more. Then the
// coordinator, the rank that reports for all, ends the launcher's job. A rank that the launcher does not reach ends
// itself.
// Thread safety: all methods from any thread.
class RankEnd {
 public:
  // The group must outlive this object.
  explicit RankEnd(comm::ProcessGroup& group) : group_(group) {}
  // Ends the process if a rank was lost, because MPI would wait for the lost rank.
  ~RankEnd();
  RankEnd(const RankEnd&) = delete;
  RankEnd& operator=(const RankEnd&) = delete;

  // Starts to watch the other ranks. Collective; called once.
  Status StartHeartbeat(const comm::WatchTimes& times);
  // Returns null before StartHeartbeat().
  comm::Heartbeat* heartbeat() const { return heartbeat_.get(); }

  // Prints the error and ends every rank with its exit code. In AbortAfterLoss(), ranks other than the coordinator
  // first give the coordinator time to do so.
  [[noreturn]] void AbortAll(const Status& error);
  [[noreturn]] void AbortAfterLoss(const Status& error);
  // Handles a job whose steps will never go on, in the same way as a loss. A single rank ends at once, since nothing
  // else ends its steps.
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

#endif  // DFRUN_JOBS_RANKS_RANK_END_H_
