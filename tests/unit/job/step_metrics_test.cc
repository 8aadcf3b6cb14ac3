#include "src/job/step_metrics.h"

#include <gtest/gtest.h>

#include "src/job/job_observer.h"

namespace dfrun {
namespace {

class StepMetricsTest : public testing::Test {
 protected:
  // A training of 96 samples, 24 a step, by a rate of 0.5 that halves every 2 steps.
  StepMetricsTest() {
    InputSpec input;
    input.num_samples = 96;
    input.batch = 24;
    job_.inputs = {input};
    TrainSpec& train = job_.train.emplace();
    train.input = 0;
    train.learning_rate.kind = ScheduleSpec::Kind::kStep;
    train.learning_rate.initial = train.learning_rate.factor = 0.5;
    train.learning_rate.steps = 2;
    now_ = StepMetrics::Clock::time_point(std::chrono::hours(1));
  }

  static void Pass(double seconds) {
    now_ += std::chrono::duration_cast<StepMetrics::Clock::duration>(std::chrono::duration<double>(seconds));
  }
  static StepMetrics::Clock::time_point Now() { return now_; }

  StepMetrics Make(const std::vector<std::string>& fetched = {"loss"}) const {
    return {job_, fetched, DType::kFloat, &StepMetricsTest::Now};
  }
  // Steps that take so many seconds, and then a save.
  static void Run(StepMetrics& metrics, double seconds) {
    {
      const StepsTimer timer(metrics);
      Pass(seconds);
    }
    Pass(100);
  }
  static std::string Text(const StepMetrics::NamedTensors& values) {
    std::string text;
    for (const auto& [name, value] : values) text += StrCat(name, " ", ToDouble(value), "; ");
    return text;
  }

  JobSpec job_;
  static StepMetrics::Clock::time_point now_;
};

StepMetrics::Clock::time_point StepMetricsTest::now_;

TEST_F(StepMetricsTest, EpochAndRateAreThoseOfTheStep) {
  StepMetrics metrics = Make();
  metrics.Begin(0, 0, {});
  metrics.Log(1, {});
  EXPECT_EQ(Text(metrics.schedule()), "epoch 0.25; learning_rate 0.5; ");
  metrics.Log(3, {});
  EXPECT_EQ(Text(metrics.schedule()), "epoch 0.75; learning_rate 0.25; ");
  metrics.Log(6, {});
  EXPECT_EQ(Text(metrics.schedule()), "epoch 1.5; learning_rate 0.125; ");
}

TEST_F(StepMetricsTest, AJobThatGoesOnCountsTheSamplesThatWereUsed) {
  StepMetrics metrics = Make();
  metrics.Begin(4, 48, {});  // the batch was smaller
  metrics.Log(5, {});
  EXPECT_EQ(Text(metrics.schedule()), "epoch 0.75; learning_rate 0.125; ");
}

TEST_F(StepMetricsTest, SamplesAreThoseOfTheStepsAlone) {
  StepMetrics metrics = Make();
  metrics.Begin(0, 0, {});
  Run(metrics, 1);
  Run(metrics, 2);
  metrics.Log(5, {});
  EXPECT_EQ(Text(metrics.timings()), "samples_per_s 40; ");
  Run(metrics, 4);
  metrics.Log(6, {});
  EXPECT_EQ(Text(metrics.timings()), "samples_per_s 6; ");
}

TEST_F(StepMetricsTest, WaitingIsAShareOfTheTimeSinceTheLastLine) {
  constexpr int64_t kSecond = 1'000'000'000;
  StepMetrics metrics = Make();
  metrics.Begin(0, 0, {{kSecond, 5 * kSecond}, {0, 7 * kSecond}, {}});  // the last rank has told nothing yet
  metrics.Log(1, {{2 * kSecond, 9 * kSecond}, {3 * kSecond, 11 * kSecond}, {kSecond, 2 * kSecond}});
  EXPECT_EQ(Text(metrics.timings()), "waiting/min 0.25; waiting/mean 0.5; waiting/max 0.75; ");
  // The second rank has told nothing since.
  metrics.Log(2, {{3 * kSecond, 11 * kSecond}, {3 * kSecond, 11 * kSecond}, {kSecond, 6 * kSecond}});
  EXPECT_EQ(Text(metrics.timings()), "waiting/min 0; waiting/mean 0.25; waiting/max 0.5; ");
  metrics.Log(3, {});
  EXPECT_EQ(Text(metrics.timings()), "");
}

TEST_F(StepMetricsTest, WithoutAnInputThereIsNoEpoch) {
  job_.train->input = -1;
  StepMetrics metrics = Make();
  metrics.Begin(0, 0, {});
  Run(metrics, 1);
  metrics.Log(1, {});
  EXPECT_EQ(Text(metrics.schedule()), "learning_rate 0.5; ");
  EXPECT_EQ(Text(metrics.timings()), "");
}

TEST_F(StepMetricsTest, NamesOfFetchesAreTheirs) {
  StepMetrics metrics = Make({"loss", "epoch", "waiting/mean"});
  metrics.Begin(0, 0, {{0, 10}});
  metrics.Log(1, {{5, 20}});
  EXPECT_EQ(Text(metrics.schedule()), "learning_rate 0.5; ");
  EXPECT_EQ(Text(metrics.timings()), "waiting/min 0.5; waiting/max 0.5; ");
}

}  // namespace
}  // namespace dfrun
