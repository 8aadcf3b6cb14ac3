// The metrics of an evaluation: means over a pass.
#ifndef DFRUN_SRC_JOB_RUN_EVALUATION_H_
#define DFRUN_SRC_JOB_RUN_EVALUATION_H_

#include <vector>

#include "src/job/run_pass.h"

namespace dfrun {

// Makes a pass over all samples. Each metric is the mean of the steps' values, weighted by their samples, summed in the
// order of the steps however many are in flight. With a single step it is the step's value; otherwise it has the
// metric's dtype if that is a floating one, else double. After an error no step is in flight.
Result<std::vector<Tensor>> RunEvaluation(const EvaluationPass& pass, const PassSteps& steps);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_RUN_EVALUATION_H_
