// The evaluations that a job makes between its steps.
#ifndef DFRUN_SRC_JOB_JOB_EVALUATIONS_H_
#define DFRUN_SRC_JOB_JOB_EVALUATIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/job/evaluation_progress.h"
#include "src/job/job_output.h"
#include "src/session/session.h"
#include "src/spec/job_spec.h"
#include "src/training/job_graph.h"

namespace dfrun {

// Thread safety: one thread.
// Lifetime: all arguments outlive it.
class JobEvaluations {
 public:
  // `one_at_a_time`: no step begins before the last has ended, whatever the spec says.
  JobEvaluations(const JobSpec& job, const JobGraph& parts, Session& session, bool one_at_a_time, JobOutput& output,
                 EvaluationProgress& progress)
      : job_(job),
        parts_(parts),
        session_(session),
        one_at_a_time_(one_at_a_time),
        output_(output),
        progress_(progress) {}

  // Makes the evaluations that are due after the step of `results`, which have no values; all of them after the last
  // step, which may be so by what they give.
  Status RunDue(const JobResults& results);
  // The names of those that were due after a step that was saved without them: the job goes on from it.
  std::vector<std::string> Missing(int64_t step) const;

 private:
  bool HasMetrics(size_t evaluation) const { return !parts_.evaluations[evaluation].metrics.empty(); }
  Status Run(size_t evaluation, JobResults results);

  const JobSpec& job_;
  const JobGraph& parts_;
  Session& session_;
  const bool one_at_a_time_;
  JobOutput& output_;
  EvaluationProgress& progress_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_JOB_EVALUATIONS_H_
