#include "src/job/early_stop.h"

#include <cmath>

#include "src/base/counted.h"
#include "src/job/goal_state.h"

namespace dfrun {

std::string EarlyStop::Resume(const JsonValue& state) {
  const JsonValue* const saved = state.Find(kName);
  if (saved == nullptr) return "";
  if (const std::string other = OtherGoalOf(*saved, spec_.goal); !other.empty()) {
    return StrCat("'stop' was by ", other, ": by ", DescribeGoal(spec_.goal), ", evaluations count from here on");
  }
  if (const Status read = Read(*saved); !read.ok()) {
    best_.reset();
    waited_ = 0;
    return StrCat("the checkpoint's state of 'stop' cannot be read (", read.message(),
                  "): evaluations count from here on");
  }
  const Result<int64_t> patience = saved->GetInt("patience");
  if (!patience.ok() || *patience == spec_.patience) return "";
  return StrCat("'patience' is ", spec_.patience, " and was ", *patience, ": ", Counted(waited_, "evaluation"),
                " without a better ", spec_.goal.metric, " so far");
}

Status EarlyStop::Read(const JsonValue& saved) {
  DF_ASSIGN(waited_, saved.GetInt("waited"));
  if (waited_ < 0) return Error(Code::kDataLoss, "'waited' is ", waited_);
  if (saved.Find("value") == nullptr) return Status();
  Best best;
  DF_ASSIGN(best.value, saved.GetDouble("value"));
  DF_ASSIGN(best.step, saved.GetInt("step"));
  if (std::isnan(best.value)) return Error(Code::kDataLoss, "'value' is NaN");
  best_ = best;
  return Status();
}

bool EarlyStop::IsBetter(double value) const {
  if (std::isnan(value)) return false;
  if (!best_) return true;
  return spec_.goal.is_max ? value > best_->value + spec_.min_delta : value < best_->value - spec_.min_delta;
}

void EarlyStop::Take(double value, int64_t step) {
  if (IsBetter(value)) {
    best_ = {step, value};
    waited_ = 0;
  } else if (step >= spec_.after_steps) {
    ++waited_;
  }
}

std::string EarlyStop::Describe() const {
  const std::string waited = StrCat(" in ", Counted(waited_, "evaluation"));
  if (!best_) return StrCat(spec_.goal.metric, " has not been a number", waited);
  return StrCat(spec_.goal.metric, " has not been ", spec_.goal.is_max ? "more" : "less", " than ", best_->value,
                ", that of step ", best_->step, ",", spec_.min_delta > 0 ? StrCat(" by ", spec_.min_delta) : "",
                waited);
}

JsonValue EarlyStop::ToJson() const {
  JsonValue json = JsonValue::Object();
  SetGoal(spec_.goal, json);
  json.Set("patience", JsonValue::Int(spec_.patience)).Set("waited", JsonValue::Int(waited_));
  if (best_) json.Set("step", JsonValue::Int(best_->step)).Set("value", JsonValue::Double(best_->value));
  return json;
}

}  // namespace dfrun
