// The steps of a pass over samples.
#ifndef DFRUN_SRC_JOB_RUN_PASS_H_
#define DFRUN_SRC_JOB_RUN_PASS_H_

#include <functional>
#include <memory>
#include <span>

#include "src/framework/values/tensor.h"
#include "src/session/pending_step.h"
#include "src/training/job_graph.h"

namespace dfrun {

// Functions that run the steps of a pass.
struct PassSteps {
  // Begins a step of the pass, which sets its fetches.
  std::function<Result<std::unique_ptr<PendingStep>>(const JobStep& step, std::span<const Tensor> feeds)> start;
  // Called when a step has ended, in the order in which they began. Empty: nobody asks.
  std::function<Status()> ended = {};
  // The largest number of steps that have begun and not ended.
  int in_flight = 1;
};

// Takes the fetches of a step of so many samples; 0 where the pass has EvaluationPass::samples 0.
using TakeValues = std::function<Status(const JobStep& step, int64_t samples, std::span<const Tensor> values)>;

// Makes a pass over all samples, and hands the fetches of each step to `take`, in the order of the steps however many
// are in flight. After an error, `take`'s too, no step is in flight.
// Blocks: until the pass has ended.
Status RunPass(const EvaluationPass& pass, const PassSteps& steps, const TakeValues& take);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_RUN_PASS_H_
