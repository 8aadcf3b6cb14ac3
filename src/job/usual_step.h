// The step that a job makes most often.
#ifndef DFRUN_SRC_JOB_USUAL_STEP_H_
#define DFRUN_SRC_JOB_USUAL_STEP_H_

#include "src/spec/job_spec.h"
#include "src/training/job_graph.h"

namespace dfrun {

// JobGraph::step, without its fetches where not every step is logged: the job then runs it so between logged ones.
RunSignature UsualStep(const JobSpec& spec, const JobGraph& job);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_USUAL_STEP_H_
