// The runner of an evaluation: it runs the steps that a command asks of a graph, or passes over the samples of a spec's
// inputs.
#ifndef DFRUN_JOBS_EVAL_EVAL_STEPS_H_
#define DFRUN_JOBS_EVAL_EVAL_STEPS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "jobs/eval/eval_stats.h"
#include "src/framework/values/tensor.h"
#include "src/job/fetched_arrays.h"
#include "src/passes/prune.h"
#include "src/session/session.h"
#include "src/training/job_graph.h"

namespace dfrun::jobs {

struct StepPlan {
  std::vector<std::string> names;      // names of the fetches
  RunSignature step;                   // the step to run if there is no `pass`
  std::optional<EvaluationPass> pass;  // pass over batches of the inputs' samples
  bool is_evaluation = false;          // each fetch of the pass is a metric, whose mean over the samples is one value
  int steps_in_flight = 1;             // limit for a pass
  std::vector<Tensor> feeds;           // feeds of each step; in a pass over samples they follow the position
  int64_t repeat = 1;                  // number of steps or passes
  int64_t trace_steps = 0;             // number of steps at the beginning that are traced
  std::string trace_prefix;
  bool may_end_early = false;  // OutOfRange after the first step is no error, because queues may end

  bool feeds_position() const { return pass && pass->samples > 0; }
  // Feeds `value` to `output` in each step: in `step` and in the steps of `pass`, which must be set before, behind the
  // feeds that are there.
  void AddFeed(Output output, const Tensor& value);
  // A kind of step and the number of times that it is run.
  struct Counted {
    const RunSignature* run;
    int64_t times;
  };
  std::vector<Counted> Runs() const;
};

// The services of the command that the steps use.
struct StepHost {
  Session& session;
  std::function<Result<Session::Handle>(const RunSignature&)> prepare;
  std::function<Status()> check_stop;  // called between two steps; returns the error of a signal that came
};

// Runs all of `plan` and gives the fetched values to `store`. The values of a single step have no further axes.
// Otherwise a first axis counts the repetitions of a step or a pass, if there are several; behind it an axis counts the
// samples, for fetches with one row per sample, or the batches of a pass. Prints to stderr which fetches are stacked by
// batch. The caller must call store.End().
// Blocks: until the last step has ended.
Status RunSteps(const StepPlan& plan, const StepHost& host, ArrayStore& store, EvalStats& stats);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EVAL_EVAL_STEPS_H_
