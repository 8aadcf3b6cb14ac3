#include "src/job/early_stop.h"

#include <gtest/gtest.h>

#include <limits>

#include "src/base/json/json_reader.h"

namespace dfrun {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

StopSpec Spec(int64_t patience, double min_delta = 0, int64_t after_steps = 0) {
  return {.goal = {.metric = "eval/loss", .is_max = false, .location = {}},
          .patience = patience,
          .min_delta = min_delta,
          .after_steps = after_steps,
          .location = {}};
}

// The step after which a training with these values, one every 10 steps, ends; 0: it does not.
int64_t EndOf(const StopSpec& spec, const std::vector<double>& values) {
  EarlyStop stop(spec);
  int64_t step = 0;
  for (const double value : values) {
    stop.Take(value, step += 10);
    if (stop.is_met()) return step;
  }
  return 0;
}

TEST(EarlyStop, CountsEvaluationsWithoutABetterOne) {
  EXPECT_EQ(EndOf(Spec(2), {3, 2, 2, 1, 1, 1}), 60);
  EXPECT_EQ(EndOf(Spec(1), {3, 2, 2}), 30);
  EXPECT_EQ(EndOf(Spec(3), {3, 4, 4, 2, 4, 4}), 0);
  EXPECT_EQ(EndOf(Spec(2), {3, 4, kNaN}), 30);
  EXPECT_EQ(EndOf(Spec(2), {kNaN, kNaN}), 20);
  EXPECT_EQ(EndOf(Spec(2), {kNaN, 1, kNaN, 0.5, 0.5}), 0);
  EXPECT_EQ(EndOf(Spec(2, 0.5), {3, 2.5, 2.4}), 0);  // 2.4 is better than 3 by more than 0.5
  EXPECT_EQ(EndOf(Spec(2, 0.5), {3, 2.5, 2.5}), 30);
  EXPECT_EQ(EndOf(Spec(2, 0, 30), {1, 2, 2, 2}), 40);
  EXPECT_EQ(EndOf(Spec(2, 0, 30), {1, 2, 0.5, 2, 2}), 50);
}

TEST(EarlyStop, GreaterIsBetterWhereTheSpecSaysSo) {
  StopSpec spec = Spec(2, 0.5);
  spec.goal.is_max = true;
  EXPECT_EQ(EndOf(spec, {1, 1.5, 1.5}), 30);
  EXPECT_EQ(EndOf(spec, {1, 1.75, 1, 2.5, 2.5}), 0);
}

TEST(EarlyStop, GoesOnFromItsState) {
  const StopSpec spec = Spec(2);
  EarlyStop stop(spec);
  stop.Take(0.1, 10);
  stop.Take(0.25, 20);
  JsonValue state = JsonValue::Object();
  state.Set(EarlyStop::kName, stop.ToJson());
  const Result<JsonValue> read = ParseJson(state.Print());
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EarlyStop resumed(spec);
  EXPECT_EQ(resumed.Resume(*read), "");
  EXPECT_FALSE(resumed.is_met());
  resumed.Take(0.1, 30);
  EXPECT_TRUE(resumed.is_met());
  EXPECT_EQ(resumed.Describe(), "eval/loss has not been less than 0.1, that of step 10, in 2 evaluations");
  const StopSpec patient = Spec(5);
  EarlyStop longer(patient);
  EXPECT_EQ(longer.Resume(*read), "'patience' is 5 and was 2: 1 evaluation without a better eval/loss so far");
  longer.Take(0.2, 30);
  EXPECT_FALSE(longer.is_met());
}

TEST(EarlyStop, StatesOfOthersAreSaid) {
  const StopSpec spec = Spec(2);
  const auto resume = [&](const char* text) { return EarlyStop(spec).Resume(*ParseJson(text)); };
  EXPECT_EQ(resume(R"({"stop": {"metric": "eval/x", "mode": "max", "patience": 2, "waited": 2}})"),
            "'stop' was by eval/x, 'max': by eval/loss, 'min', evaluations count from here on");
  EXPECT_NE(resume(R"({"stop": {"metric": "eval/loss", "mode": "min", "waited": -1}})").find("cannot be read"),
            std::string::npos);
  EXPECT_NE(resume(R"({"stop": {"metric": "eval/loss", "mode": "min", "waited": 1, "value": "x"}})").find("cannot be"),
            std::string::npos);
  EXPECT_EQ(resume("{}"), "");
}

}  // namespace
}  // namespace dfrun
