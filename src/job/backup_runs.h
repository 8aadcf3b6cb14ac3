// Runs the replicas of a synchronous training with backup beside the steps of the job, which take what the first of
// them have computed. Each replica has a Run of many steps in flight, and takes its shares by itself.
#ifndef DFRUN_SRC_JOB_BACKUP_RUNS_H_
#define DFRUN_SRC_JOB_BACKUP_RUNS_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/job/request_size.h"
#include "src/session/session.h"
#include "src/training/job_graph.h"

namespace dfrun {

// A share whose values were not finite.
struct NotFiniteShare {
  int64_t position = 0;  // its first row
  int64_t replica = 0;
  std::string what;  // "the loss"
};

// Thread safety: one thread. The arguments outlive it.
class BackupRuns {
 public:
  BackupRuns(const JobGraph& parts, Session& session) : parts_(*parts.apart), session_(session) {}

  Status Prepare();
  // By replica.
  const std::vector<Session::Handle>& handles() const { return handles_; }

  // Begins a period of the steps from `first`, which are done, up to `end`. Shares are handed out in it alone.
  Status Open(int64_t first, int64_t end);
  bool is_open() const { return left_ >= 0; }
  // Whether all steps of the period have run.
  bool is_done() const { return left_ == 0; }
  // Runs the next step of the job, of this number, beside the replicas, as Session::RunStep() does.
  Status RunStep(Session::Handle handle, std::span<Tensor> fetches, int64_t number);
  // Ends the period, if one is open: the replicas end what they compute.
  Status Close();

  // The numbers of the run since the last call: backup/late/r, the shares of replica r that came too late,
  // backup/updates_per_s/r, those that were used, and backup/waiting/r, the part of the time that it waited for one.
  Result<std::vector<std::pair<std::string, Tensor>>> TakeTimings();
  // The first share of the last step that was not finite; `replica` -1: each was, for itself. Call when no period is
  // open.
  Result<NotFiniteShare> FindNotFinite();

 private:
  using Clock = std::chrono::steady_clock;

  Status Begin(size_t replica);
  Status TakeEnded(size_t replica);
  Status RunBeside(std::span<Tensor> fetches);
  // Lets nobody wait for a share or a token any more.
  void Abort();

  const ReplicasApart& parts_;
  Session& session_;
  std::vector<Session::Handle> handles_;
  Session::Handle open_ = nullptr;
  Session::Handle close_ = nullptr;
  Session::Handle abort_ = nullptr;
  Session::Handle use_ = nullptr;
  std::vector<RequestSize> sizes_;
  std::vector<std::unique_ptr<PendingStep>> running_;  // by replica; then the job's step. null: none
  int64_t left_ = -1;                                  // steps of the period; -1: none is open
  // Since the last line.
  Clock::duration steps_time_{};
  std::vector<double> told_;  // the output of _BackupUse then
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_BACKUP_RUNS_H_
