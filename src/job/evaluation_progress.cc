#include "src/job/evaluation_progress.h"

#include <limits>

#include "src/job/job_observer.h"

namespace dfrun {
namespace {

// NaN where it is no number, which is never better than another.
double NumberOf(const Tensor& value) {
  return IsNumber(value) ? ToDouble(value) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

EvaluationProgress::EvaluationProgress(const JobSpec& spec) : spec_(spec) {
  if (spec.checkpoint && spec.checkpoint->best) best_.emplace(*spec.checkpoint->best);
  if (spec.train && spec.train->stop) stop_.emplace(*spec.train->stop);
}

std::vector<std::string> EvaluationProgress::Resume(const JsonValue& state) {
  std::vector<std::string> lines;
  if (best_) lines.push_back(best_->Resume(state));
  if (stop_) lines.push_back(stop_->Resume(state));
  const JsonValue* const last = state.Find(kName);
  knows_last_ = last != nullptr;
  for (const EvalSpec& eval : spec_.evals) {
    const Result<int64_t> step = last == nullptr ? NotFound("") : last->GetInt(eval.name);
    if (step.ok()) last_[eval.name] = *step;
  }
  std::erase(lines, "");
  return lines;
}

bool EvaluationProgress::IsMissing(const EvalSpec& eval, int64_t step) const {
  if (!knows_last_ || step == 0 || eval.every <= 0 || step % eval.every != 0) return false;
  return !IsMade(eval.name, step);
}

bool EvaluationProgress::IsMade(const std::string& evaluation, int64_t step) const {
  const auto last = last_.find(evaluation);
  return last != last_.end() && last->second == step;
}

void EvaluationProgress::Take(const std::string& evaluation, std::span<const std::pair<std::string, Tensor>> metrics,
                              int64_t step) {
  last_[evaluation] = step;
  for (const auto& [name, value] : metrics) {
    if (stop_ && name == spec_.train->stop->goal.metric) stop_->Take(NumberOf(value), step);
    if (!best_ || name != spec_.checkpoint->best->goal.metric) continue;
    best_before_.emplace(*best_);
    has_new_best_ = best_->Take(NumberOf(value), step) || has_new_best_;
  }
}

void EvaluationProgress::ForgetNewBest() {
  if (!best_before_) return;
  best_.emplace(*best_before_);
  best_before_.reset();
}

void EvaluationProgress::Save(JsonValue& state) const {
  if (best_) state.Set(BestSteps::kName, best_->ToJson());
  if (stop_) state.Set(EarlyStop::kName, stop_->ToJson());
  if (spec_.evals.empty()) return;
  JsonValue last = JsonValue::Object();
  for (const auto& [name, step] : last_) last.Set(name, JsonValue::Int(step));
  state.Set(kName, std::move(last));
}

}  // namespace dfrun
