// The metrics of an evaluation: means and quotients over a pass.
#ifndef DFRUN_SRC_JOB_RUN_EVALUATION_H_
#define DFRUN_SRC_JOB_RUN_EVALUATION_H_

#include <string>
#include <vector>

#include "src/job/run_pass.h"

namespace dfrun {

// Makes a pass over all samples and returns the pass's metrics. Each is the mean of the steps' values, weighted by
// their samples, or the quotient of two sums of the steps' values; sums are in double, in the order of the steps
// however many are in flight. With a single step a mean is the step's value; otherwise the metric has the dtype of its
// fetch if that is a floating one, else double. After an error no step is in flight.
Result<std::vector<Tensor>> RunEvaluation(const EvaluationPass& pass, const PassSteps& steps);

// The names of a pass's metrics.
std::vector<std::string> MetricNames(const EvaluationPass& pass);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_RUN_EVALUATION_H_
