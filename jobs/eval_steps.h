// Runs what a command asks of a graph: steps, or passes over the samples of a spec's inputs.
#ifndef DFRUN_JOBS_EVAL_STEPS_H_
#define DFRUN_JOBS_EVAL_STEPS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "jobs/eval_stats.h"
#include "src/framework/tensor.h"
#include "src/job/fetched_arrays.h"
#include "src/passes/prune.h"
#include "src/session/session.h"
#include "src/training/job_graph.h"

namespace dfrun::jobs {

struct StepPlan {
  std::vector<std::string> names;      // of the fetches
  RunSignature step;                   // without `pass`, what is run
  std::optional<EvaluationPass> pass;  // batches of the samples of inputs
  bool is_evaluation = false;          // of a pass: each fetch is a metric, whose mean over the samples is one value
  int steps_in_flight = 1;             // of a pass
  std::vector<Tensor> feeds;           // of each step; of a pass over samples behind the position
  int64_t repeat = 1;                  // steps, or passes
  int64_t trace_steps = 0;             // the first steps, which are traced
  std::string trace_prefix;
  bool may_end_early = false;  // OutOfRange after the first step is no error: queues have come to their end

  bool feeds_position() const { return pass && pass->samples > 0; }
  // Adds an output that each step feeds, after the outputs of StepPlan::feeds.
  void AddFeed(Output output, const Tensor& value);
  // The kinds of steps, each with how often it is run.
  struct Counted {
    const RunSignature* run;
    int64_t times;
  };
  std::vector<Counted> Runs() const;
};

// What the steps ask of their command.
struct StepHost {
  Session& session;
  std::function<Result<Session::Handle>(const RunSignature&)> prepare;
  std::function<Status()> check_stop;  // between two steps: the error of a signal that came
};

// Runs all of `plan` and gives what it fetches to `store`: without axes beside the values' own where a plan is a single
// step; else a first axis for the repetitions of a step or a pass, where there are several, and behind it the samples,
// of fetches with one row a sample, or the batches of a pass. Says on stderr what is stacked by batch. store.End() is
// left to the caller. Blocks.
Status RunSteps(const StepPlan& plan, const StepHost& host, ArrayStore& store, EvalStats& stats);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EVAL_STEPS_H_
