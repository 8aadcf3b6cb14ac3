#include "src/job/job_intervals.h"

#include <algorithm>

namespace dfrun {

JobIntervals JobIntervals::Of(const JobSpec& job, int64_t sync_every) {
  JobIntervals intervals;
  intervals.steps = job.train ? job.train->steps : job.run->steps;
  intervals.log_every = job.train ? std::max<int64_t>(job.train->log_every, 1) : 1;
  intervals.save_every = job.checkpoint ? job.checkpoint->every : 0;
  intervals.sync_every = sync_every;
  for (const EvalSpec& eval : job.evals) intervals.eval_every.push_back(eval.every);
  return intervals;
}

int64_t JobIntervals::NextStop(int64_t step, bool logs_later, bool stops_at_trace) const {
  std::vector<int64_t> intervals = eval_every;
  intervals.insert(intervals.end(), {logs_later ? 0 : log_every, save_every, sync_every, summaries_every});
  return NextMultiple(intervals, step, stops_at_trace ? EndOfTrace(step) : steps);
}

int64_t JobIntervals::NextDrain(int64_t step) const {
  std::vector<int64_t> intervals = eval_every;
  intervals.push_back(save_every);
  return NextMultiple(intervals, step, EndOfTrace(step));
}

int64_t JobIntervals::NextMultiple(const std::vector<int64_t>& intervals, int64_t step, int64_t end) {
  for (const int64_t every : intervals) {
    if (every > 0) end = std::min(end, (step / every + 1) * every);
  }
  return end;
}

}  // namespace dfrun
