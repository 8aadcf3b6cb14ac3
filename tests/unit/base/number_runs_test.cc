#include "src/base/number_runs.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace dfrun {
namespace {

TEST(NumberRuns, ShortRunsAreWrittenOut) {
  EXPECT_EQ(NumberRuns({}), "");
  EXPECT_EQ(NumberRuns(std::vector<int>{5}), "5");
  EXPECT_EQ(NumberRuns(std::vector<int>{1, 2, 3}), "1, 2, 3");
}

TEST(NumberRuns, LongRunsAreOneEntry) {
  EXPECT_EQ(NumberRuns(std::vector<int>{1, 2, 3, 4}), "1 to 4");
  EXPECT_EQ(NumberRuns(std::vector<int>{0, 2, 4, 5, 6, 7, 8, 10}), "0, 2, 4 to 8, 10");
  std::vector<int> many(1'000'000);
  std::iota(many.begin(), many.end(), 3);
  EXPECT_EQ(NumberRuns(many), "3 to 1000002");
}

TEST(NumberRuns, OfManyEntriesTheFirstAreShown) {
  std::vector<int> odd;
  for (int i = 0; i < 20; ++i) odd.push_back(2 * i + 1);
  EXPECT_EQ(NumberRuns(odd), "1, 3, 5, 7, 9, 11, 13, 15, and 12 more");
}

}  // namespace
}  // namespace dfrun
