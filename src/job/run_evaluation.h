// The pass of an evaluation over its samples, a batch a step.
#ifndef DFRUN_SRC_JOB_RUN_EVALUATION_H_
#define DFRUN_SRC_JOB_RUN_EVALUATION_H_

#include <functional>
#include <span>
#include <vector>

#include "src/framework/tensor.h"
#include "src/training/job_graph.h"

namespace dfrun {

// Makes a pass over all samples: run(step, feeds, metrics) runs a step of the pass and sets what it fetches. Each
// metric is the mean of what the steps gave, weighted by their samples, summed in the order of the steps; that of a
// single step is what it gave, others are of the metric's dtype where it is a floating one, else double.
using RunEvaluationStep =
    std::function<Status(const JobStep& step, std::span<const Tensor> feeds, std::span<Tensor> metrics)>;
Result<std::vector<Tensor>> RunEvaluation(const EvaluationPass& pass, const RunEvaluationStep& run);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_RUN_EVALUATION_H_
