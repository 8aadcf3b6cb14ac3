#include "src/job/goal_state.h"

namespace dfrun {
namespace {

constexpr const char* kMetric = "metric";
constexpr const char* kMode = "mode";

}  // namespace

std::string DescribeGoal(const GoalSpec& goal) {
  return StrCat(goal.metric, ", '", goal.is_max ? "max" : "min", "'");
}

void SetGoal(const GoalSpec& goal, JsonValue& state) {
  state.Set(kMetric, JsonValue::Text(goal.metric)).Set(kMode, JsonValue::Text(goal.is_max ? "max" : "min"));
}

std::string OtherGoalOf(const JsonValue& state, const GoalSpec& goal) {
  const Result<std::string> metric = state.GetText(kMetric);
  const Result<std::string> mode = state.GetText(kMode);
  if (!metric.ok() || !mode.ok()) return "";
  std::string saved = DescribeGoal({.metric = *metric, .is_max = *mode == "max", .location = {}});
  return saved == DescribeGoal(goal) ? "" : saved;
}

}  // namespace dfrun
