#include "src/job/best_steps.h"

#include <algorithm>
#include <cmath>

#include "src/job/goal_state.h"

namespace dfrun {
namespace {

constexpr const char* kSteps = "steps";

}  // namespace

std::string BestSteps::Resume(const JsonValue& state) {
  best_.clear();
  const JsonValue* const saved = state.Find(kName);
  if (saved == nullptr) return "";
  if (const std::string other = OtherGoalOf(*saved, spec_.goal); !other.empty()) {
    return StrCat("the best so far was by ", other, ": by ", DescribeGoal(spec_.goal), ", there is none yet");
  }
  const Status read = Read(*saved);
  if (read.ok()) return "";
  best_.clear();
  return StrCat("the checkpoint's best so far cannot be read (", read.message(), "): there is none yet");
}

Status BestSteps::Read(const JsonValue& saved) {
  const JsonValue* const steps = saved.Find(kSteps);
  if (steps == nullptr) return Error(Code::kDataLoss, "it has no '", kSteps, "'");
  for (const JsonValue& step : steps->values()) {
    DF_ASSIGN(const int64_t number, step.GetInt("step"));
    DF_ASSIGN(const double value, step.GetDouble("value"));
    if (std::isnan(value)) return Error(Code::kDataLoss, "the value of step ", number, " is NaN");
    best_.push_back({number, value});
  }
  const auto better = [this](const Best& a, const Best& b) { return IsBetter(a.value, b.value); };
  std::stable_sort(best_.begin(), best_.end(), better);
  best_.resize(std::min(best_.size(), static_cast<size_t>(spec_.keep)));
  return Status();
}

bool BestSteps::Take(double value, int64_t step) {
  if (std::isnan(value)) return false;
  const auto place =
      std::find_if(best_.begin(), best_.end(), [&](const Best& best) { return IsBetter(value, best.value); });
  if (place == best_.end() && best_.size() >= static_cast<size_t>(spec_.keep)) return false;
  best_.insert(place, {step, value});
  best_.resize(std::min(best_.size(), static_cast<size_t>(spec_.keep)));
  return true;
}

std::vector<int64_t> BestSteps::steps() const {
  std::vector<int64_t> steps;
  for (const Best& best : best_) steps.push_back(best.step);
  return steps;
}

JsonValue BestSteps::ToJson() const {
  JsonValue steps = JsonValue::Array();
  for (const Best& best : best_) {
    JsonValue step = JsonValue::Object();
    step.Set("step", JsonValue::Int(best.step)).Set("value", JsonValue::Double(best.value));
    steps.Append(std::move(step));
  }
  JsonValue json = JsonValue::Object();
  SetGoal(spec_.goal, json);
  json.Set(kSteps, std::move(steps));
  return json;
}

Result<int64_t> BestSteps::StepIn(const JsonValue& state) {
  const JsonValue* const saved = state.Find(kName);
  const JsonValue* const steps = saved == nullptr ? nullptr : saved->Find(kSteps);
  if (steps == nullptr || steps->values().empty()) return NotFound("no evaluation has given a best one");
  return steps->values()[0].GetInt("step");
}

}  // namespace dfrun
