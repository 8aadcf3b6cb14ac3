// The start and the end of a process that joins others: bounded by the watch of stages, before and after heartbeats.
#ifndef DFRUN_JOBS_RANK_STAGES_H_
#define DFRUN_JOBS_RANK_STAGES_H_

#include <optional>

#include "comm/bootstrap/bootstrap.h"
#include "comm/bootstrap/stage_watch.h"

namespace dfrun::jobs {

// Declared before what joins the ranks, so that it outlives it. The start begins with it.
// Thread safety: one thread.
class RankStages {
 public:
  // `timeout_s`: for all ranks to have started; 0: nothing is ended.
  explicit RankStages(int64_t timeout_s);
  // Waits for the other ranks of this host to end, where Ending() was called and this rank is the lowest.
  ~RankStages();
  RankStages(const RankStages&) = delete;
  RankStages& operator=(const RankStages&) = delete;

  // From here on heartbeats tell of the others.
  void Started();
  // What the ranks were started for is written, or has failed: this process ends with the code, and `bootstrap`, which
  // is to be destroyed before this, leaves the job.
  void Ending(int exit_code, comm::Bootstrap& bootstrap);

 private:
  std::optional<int> exit_code_;
};

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_RANK_STAGES_H_
