// The steps of a pass over samples.
#ifndef DFRUN_SRC_JOB_RUN_PASS_H_
#define DFRUN_SRC_JOB_RUN_PASS_H_

#include <functional>
#include <memory>
#include <span>

#include "src/framework/tensor.h"
#include "src/session/pending_step.h"
#include "src/training/job_graph.h"

namespace dfrun {

// Functions that run the steps of a pass.
struct PassSteps {
  // Begins a step of the pass, which sets what it fetches.
  std::function<Result<std::unique_ptr<PendingStep>>(const JobStep& step, std::span<const Tensor> feeds)> start;
  // When a step has ended, in the order in which they began. Empty: nobody asks.
  std::function<Status()> ended = {};
  // At most: steps that have begun and not ended.
  int in_flight = 1;
};

// Takes the fetches of a step of so many samples; 0 where the pass has EvaluationPass::samples 0.
using TakeValues = std::function<Status(const JobStep& step, int64_t samples, std::span<const Tensor> values)>;

// Makes a pass over all samples, and gives what each step fetched to `take`, in the order of the steps however many are
// in flight. Blocks. After an error, `take`'s too, no step is in flight.
Status RunPass(const EvaluationPass& pass, const PassSteps& steps, const TakeValues& take);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_RUN_PASS_H_
