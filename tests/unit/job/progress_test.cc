#include "src/job/progress.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace dfrun {
namespace {

using Clock = Progress::Clock;

Clock::time_point now;
Clock::time_point Now() {
  return now;
}

// Lines of a job that goes on at step `from`, and the seconds at which steps end.
std::string Lines(int64_t from, const std::vector<std::pair<int64_t, double>>& ends) {
  std::FILE* const file = std::tmpfile();
  now = Clock::time_point(std::chrono::hours(1));
  const Clock::time_point begin = now;
  {
    Progress progress(file, &Now);
    progress.OnBegin(from, 1000);
    for (const auto& [step, at_s] : ends) {
      now = begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(at_s));
      EXPECT_TRUE(progress.OnStep({.step = step, .steps = 1000, .values = {}}).ok());
    }
  }
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

TEST(Progress, TheTimeToTheEndIsToldAfterTwentySteps) {
  EXPECT_EQ(Lines(0, {{19, 4}, {20, 8}, {40, 10.5}}),
            "step 19/1000\n"
            "step 20/1000  2.5 steps/s  6m32s left\n"
            "step 40/1000  3.81 steps/s  4m12s left\n");
}

TEST(Progress, OfSlowStepsItIsToldAfterTenSeconds) {
  EXPECT_EQ(Lines(0, {{1, 9}, {2, 20}}),
            "step 1/1000\n"
            "step 2/1000  0.1 steps/s  2h46m left\n");
}

TEST(Progress, LargeRatesHaveNoExponent) {
  EXPECT_EQ(Lines(0, {{500, 0.01}, {1000, 0.025}}),
            "step 500/1000  50000 steps/s  0m00s left\n"
            "step 1000/1000  40000 steps/s\n");
}

TEST(Progress, StepsOfEarlierRunsDoNotCount) {
  EXPECT_EQ(Lines(500, {{510, 1}, {520, 4}, {1000, 50}}),
            "step 510/1000\n"
            "step 520/1000  5 steps/s  1m36s left\n"
            "step 1000/1000  10 steps/s\n");
}

}  // namespace
}  // namespace dfrun
