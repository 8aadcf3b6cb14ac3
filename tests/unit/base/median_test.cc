#include "src/base/median.h"

#include <gtest/gtest.h>

namespace dfrun {
namespace {

TEST(Median, IsInTheMiddleWhateverTheOrder) {
  EXPECT_EQ(Median({7}), 7);
  EXPECT_EQ(Median({9, 1, 5}), 5);
  EXPECT_EQ(Median({3, 1, 2, 2, 100}), 2);
}

TEST(Median, IsTheUpperOfTwo) {
  EXPECT_EQ(Median({4, 1}), 4);
  EXPECT_EQ(Median({4, 3, 2, 1}), 3);
}

}  // namespace
}  // namespace dfrun
