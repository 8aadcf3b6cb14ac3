#include "src/job/usual_step.h"

#include "src/job/job_intervals.h"

namespace dfrun {

RunSignature UsualStep(const JobSpec& spec, const JobGraph& job) {
  RunSignature step = job.step.signature;
  if (JobIntervals::Of(spec, job.sync_every).log_every > 1 && !step.targets.empty()) step.fetches.clear();
  return step;
}

}  // namespace dfrun
