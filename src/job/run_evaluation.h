// The pass of an evaluation over its samples, a batch a step.
#ifndef DFRUN_SRC_JOB_RUN_EVALUATION_H_
#define DFRUN_SRC_JOB_RUN_EVALUATION_H_

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "src/framework/tensor.h"
#include "src/session/pending_step.h"
#include "src/training/job_graph.h"

namespace dfrun {

// How the steps of a pass are run.
struct EvaluationSteps {
  // Begins a step of the pass, which sets what it fetches.
  std::function<Result<std::unique_ptr<PendingStep>>(const JobStep& step, std::span<const Tensor> feeds)> start;
  // When a step has ended, in the order in which they began. Empty: nobody asks.
  std::function<Status()> ended = {};
  // At most: steps that have begun and not ended.
  int in_flight = 1;
};

// Makes a pass over all samples. Each metric is the mean of what the steps gave, weighted by their samples, summed in
// the order of the steps however many are in flight; that of a single step is what it gave, others are of the metric's
// dtype where it is a floating one, else double. After an error no step is in flight.
Result<std::vector<Tensor>> RunEvaluation(const EvaluationPass& pass, const EvaluationSteps& steps);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_RUN_EVALUATION_H_
