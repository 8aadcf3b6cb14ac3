// The steps at whose end a job does more than the next step.
#ifndef DFRUN_SRC_JOB_JOB_INTERVALS_H_
#define DFRUN_SRC_JOB_JOB_INTERVALS_H_

#include <cstdint>
#include <vector>

#include "src/spec/job_spec.h"

namespace dfrun {

// Counts of steps; of those that say `every`, 0 stands for never.
// Thread safety: const methods from any thread.
struct JobIntervals {
  // The intervals of a job that syncs its replicas every so many steps.
  static JobIntervals Of(const JobSpec& job, int64_t sync_every);

  int64_t steps = 0;  // length of the job
  int64_t log_every = 1;
  int64_t save_every = 0;
  int64_t sync_every = 0;
  int64_t summaries_every = 0;  // which is a matter of the caller's, since not every job has them
  std::vector<int64_t> eval_every;
  int64_t trace_until = 0;  // a trace is written at the end of this step; of one that is over: none is

  // The next step after `step` at which there is something to do besides the step itself. `logs_later`: steps are
  // logged as they end, so lines are no reason to stop. `stops_at_trace`: the trace's last step is one.
  int64_t NextStop(int64_t step, bool logs_later, bool stops_at_trace) const;
  // The next step after `step` at whose end nothing else may run.
  int64_t NextDrain(int64_t step) const;

 private:
  // The first multiple of an interval after `step`, or `end` where that comes first.
  static int64_t NextMultiple(const std::vector<int64_t>& intervals, int64_t step, int64_t end);
  int64_t EndOfTrace(int64_t step) const { return step < trace_until ? trace_until : steps; }
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_JOB_INTERVALS_H_
