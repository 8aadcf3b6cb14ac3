#include "src/job/best_steps.h"

#include <gtest/gtest.h>

#include <limits>

#include "src/base/json/json_reader.h"

namespace dfrun {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

BestSpec Spec(bool is_max, int keep) {
  return {.goal = {.metric = "eval/x", .is_max = is_max, .location = {}}, .keep = keep};
}

JsonValue StateOf(const BestSteps& best) {
  JsonValue state = JsonValue::Object();
  state.Set(BestSteps::kName, best.ToJson());
  return state;
}

TEST(BestSteps, KeepsTheBestAndOfEqualOnesTheEarlier) {
  const BestSpec spec = Spec(true, 1);
  BestSteps best(spec);
  EXPECT_FALSE(best.Take(kNaN, 1));
  EXPECT_TRUE(best.Take(-std::numeric_limits<double>::infinity(), 2));
  EXPECT_TRUE(best.Take(0.5, 3));
  EXPECT_FALSE(best.Take(0.5, 4));
  EXPECT_FALSE(best.Take(0.25, 5));
  EXPECT_FALSE(best.Take(kNaN, 6));
  EXPECT_EQ(best.steps(), (std::vector<int64_t>{3}));
  EXPECT_TRUE(best.Take(0.75, 7));
  EXPECT_EQ(best.steps(), (std::vector<int64_t>{7}));
}

TEST(BestSteps, KeepsSeveral) {
  const BestSpec spec = Spec(false, 3);
  BestSteps best(spec);
  for (const auto& [value, step] : {std::pair(5.0, 1), {4.0, 2}, {6.0, 3}}) EXPECT_TRUE(best.Take(value, step)) << step;
  EXPECT_EQ(best.steps(), (std::vector<int64_t>{2, 1, 3}));
  EXPECT_FALSE(best.Take(6.0, 4));
  EXPECT_TRUE(best.Take(4.0, 5));
  EXPECT_EQ(best.steps(), (std::vector<int64_t>{2, 5, 1}));
}

TEST(BestSteps, GoesOnFromItsState) {
  const BestSpec spec = Spec(false, 2);
  BestSteps best(spec);
  EXPECT_TRUE(best.Take(0.1, 10));
  EXPECT_TRUE(best.Take(-0.3, 20));
  const Result<JsonValue> state = ParseJson(StateOf(best).Print());
  ASSERT_TRUE(state.ok()) << state.status().ToString();
  EXPECT_EQ(*BestSteps::StepIn(*state), 20);
  BestSteps resumed(spec);
  EXPECT_EQ(resumed.Resume(*state), "");
  EXPECT_EQ(resumed.ToJson(), best.ToJson());
  EXPECT_FALSE(resumed.Take(0.1, 30));  // all bits of 0.1 were kept
  const BestSpec fewer = Spec(false, 1);
  BestSteps one(fewer);
  EXPECT_EQ(one.Resume(*state), "");
  EXPECT_EQ(one.steps(), (std::vector<int64_t>{20}));
  const BestSpec greater = Spec(true, 2);
  BestSteps other(greater);
  EXPECT_EQ(other.Resume(*state), "the best so far was by eval/x, 'min': by eval/x, 'max', there is none yet");
  EXPECT_EQ(other.steps(), std::vector<int64_t>());
  EXPECT_EQ(best.Resume(JsonValue::Object()), "");
  EXPECT_EQ(best.steps(), std::vector<int64_t>());
  EXPECT_EQ(BestSteps::StepIn(JsonValue::Object()).status().code(), Code::kNotFound);
}

TEST(BestSteps, DamagedStatesAreSaid) {
  const BestSpec spec = Spec(true, 1);
  for (const char* text : {R"({"best": {"metric": "eval/x", "mode": "max"}})",
                           R"({"best": {"metric": "eval/x", "mode": "max", "steps": [{"step": 5}]}})",
                           R"({"best": {"metric": "eval/x", "mode": "max", "steps": [{"step": 5, "value": "nan"}]}})",
                           R"({"best": {"metric": "eval/x", "mode": "max", "steps": [5]}})"}) {
    BestSteps best(spec);
    EXPECT_NE(best.Resume(*ParseJson(text)).find("cannot be read"), std::string::npos) << text;
    EXPECT_EQ(best.steps(), std::vector<int64_t>()) << text;
  }
}

}  // namespace
}  // namespace dfrun
