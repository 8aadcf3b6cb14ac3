#include "src/spec/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dfrun {
namespace {

using Kind = ScheduleSpec::Kind;

TEST(Schedule, Constant) {
  ScheduleSpec s;
  s.initial = 0.25;
  EXPECT_EQ(LearningRateAt(s, 0), 0.25);
  EXPECT_EQ(LearningRateAt(s, 1'000'000), 0.25);
}

TEST(Schedule, PiecewiseChangesAtItsBoundaries) {
  ScheduleSpec s;
  s.kind = Kind::kPiecewise;
  s.boundaries = {10, 20};
  s.values = {1, 0.5, 0.25};
  EXPECT_EQ(LearningRateAt(s, 9), 1);
  EXPECT_EQ(LearningRateAt(s, 10), 0.5);
  EXPECT_EQ(LearningRateAt(s, 19), 0.5);
  EXPECT_EQ(LearningRateAt(s, 20), 0.25);
}

TEST(Schedule, StepAndExponentialDecay) {
  ScheduleSpec s;
  s.initial = 2;
  s.factor = 0.5;
  s.steps = 10;
  s.kind = Kind::kStep;
  EXPECT_EQ(LearningRateAt(s, 9), 2);
  EXPECT_EQ(LearningRateAt(s, 10), 1);
  EXPECT_EQ(LearningRateAt(s, 29), 0.5);
  s.kind = Kind::kExponential;
  EXPECT_DOUBLE_EQ(LearningRateAt(s, 5), 2 * std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(LearningRateAt(s, 10), 1);
}

TEST(Schedule, CosineEndsAtItsFinalRateAndStaysThere) {
  ScheduleSpec s;
  s.kind = Kind::kCosine;
  s.initial = 1;
  s.final = 0.1;
  s.steps = 100;
  EXPECT_DOUBLE_EQ(LearningRateAt(s, 0), 1);
  EXPECT_DOUBLE_EQ(LearningRateAt(s, 50), 0.55);
  EXPECT_DOUBLE_EQ(LearningRateAt(s, 100), 0.1);
  EXPECT_DOUBLE_EQ(LearningRateAt(s, 1000), 0.1);
}

TEST(Schedule, WarmupRisesToTheRate) {
  ScheduleSpec s;
  s.initial = 1;
  s.warmup = 4;
  EXPECT_DOUBLE_EQ(LearningRateAt(s, 0), 0.25);
  EXPECT_DOUBLE_EQ(LearningRateAt(s, 3), 1);
  EXPECT_DOUBLE_EQ(LearningRateAt(s, 4), 1);
}

}  // namespace
}  // namespace dfrun
