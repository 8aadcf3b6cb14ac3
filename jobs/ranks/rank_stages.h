// The start and the end of a process that joins other ranks. The stage watch bounds them, before and after heartbeats
// do.
#ifndef DFRUN_JOBS_RANKS_RANK_STAGES_H_
#define DFRUN_JOBS_RANKS_RANK_STAGES_H_

#include <optional>

#include "comm/bootstrap/bootstrap.h"
#include "comm/bootstrap/stage_watch.h"

namespace dfrun::jobs {

// Begins the start in its constructor.
// Lifetime: must be declared before what joins the ranks, so that it outlives that.
// Thread safety: one thread.
class RankStages {
 public:
  // `timeout_s` bounds the start of all ranks; 0: the start is not bounded.
  explicit RankStages(int64_t timeout_s);
  // Waits for the other ranks of this host to end, if Ending() was called and this rank is the lowest.
  ~RankStages();
  RankStages(const RankStages&) = delete;
  RankStages& operator=(const RankStages&) = delete;

  // Ends the start: heartbeats watch the other ranks from now on.
  void Started();
  // Begins the end: the results are written, or the job has failed. This process ends with `exit_code`. `bootstrap`
  // leaves the job and must be destroyed before this object.
  void Ending(int exit_code, comm::Bootstrap& bootstrap);

 private:
  std::optional<int> exit_code_;
};

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_RANKS_RANK_STAGES_H_
