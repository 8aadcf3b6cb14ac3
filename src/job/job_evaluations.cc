#include "src/job/job_evaluations.h"

#include <memory>
#include <span>
#include <utility>

#include "src/base/text.h"
#include "src/job/run_evaluation.h"

namespace dfrun {

Status JobEvaluations::RunDue(const JobResults& results) {
  for (size_t i = 0; i < parts_.evaluations.size(); ++i) {
    const int64_t every = job_.evals[i].every;
    if ((every > 0 && results.step % every == 0) || results.step == results.steps) DF_TRY(Run(i, results));
  }
  for (size_t i = 0; progress_.is_stopped() && i < parts_.evaluations.size(); ++i) DF_TRY(Run(i, results));
  return Status();
}

std::vector<std::string> JobEvaluations::Missing(int64_t step) const {
  std::vector<std::string> names;
  for (size_t i = 0; i < parts_.evaluations.size(); ++i) {
    const EvalSpec& eval = job_.evals[i];
    if (HasMetrics(i) && progress_.IsMissing(eval, step)) names.push_back(eval.name);
  }
  return names;
}

Status JobEvaluations::Run(size_t evaluation, JobResults results) {
  const EvaluationPass& pass = parts_.evaluations[evaluation];
  if (!HasMetrics(evaluation) || progress_.IsMade(pass.name, results.step)) return Status();
  PassSteps steps;
  steps.start = [this](const JobStep& step, std::span<const Tensor> feeds) -> Result<std::unique_ptr<PendingStep>> {
    DF_ASSIGN(const Session::Handle handle, session_.Prepare(step.signature));
    return session_.StartStep(handle, feeds);
  };
  steps.in_flight = one_at_a_time_ ? 1 : job_.evals[evaluation].steps_in_flight;
  DF_ASSIGN(const std::vector<Tensor> values, RunEvaluation(pass, steps));
  std::vector<std::pair<std::string, Tensor>> metrics;
  for (size_t i = 0; i < values.size(); ++i) {
    metrics.emplace_back(StrCat(pass.name, "/", pass.metrics[i].name), values[i]);
  }
  progress_.Take(pass.name, metrics, results.step);
  results.values = metrics;
  return output_.TellEvaluation(results);
}

}  // namespace dfrun
