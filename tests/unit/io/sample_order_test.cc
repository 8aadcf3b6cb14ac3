#include "kernels/io/sample_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace dfrun {
namespace {

TEST(SampleOrderTest, EveryEpochUsesEverySampleOnce) {
  SampleOrder order(17, true, 3);
  for (int64_t epoch = 0; epoch < 4; ++epoch) {
    std::set<int64_t> rows;
    for (int64_t i = 0; i < 17; ++i) rows.insert(order.RowAt(epoch * 17 + i));
    EXPECT_EQ(rows.size(), 17U);
    EXPECT_EQ(*rows.begin(), 0);
    EXPECT_EQ(*rows.rbegin(), 16);
  }
}

TEST(SampleOrderTest, DependsOnSeedAndEpochAlone) {
  SampleOrder a(100, true, 7);
  SampleOrder b(100, true, 7);
  SampleOrder other(100, true, 8);
  std::vector<int64_t> first;
  std::vector<int64_t> again;
  std::vector<int64_t> different;
  std::vector<int64_t> second_epoch;
  for (int64_t i = 0; i < 100; ++i) first.push_back(a.RowAt(i));
  for (int64_t i = 0; i < 100; ++i) second_epoch.push_back(a.RowAt(100 + i));
  b.RowAt(1000);  // jumping about changes nothing
  for (int64_t i = 99; i >= 0; --i) again.push_back(b.RowAt(i));
  std::reverse(again.begin(), again.end());
  for (int64_t i = 0; i < 100; ++i) different.push_back(other.RowAt(i));
  EXPECT_EQ(first, again);
  EXPECT_NE(first, different);
  EXPECT_NE(first, second_epoch);
}

TEST(SampleOrderTest, ABufferHoldsSamplesBackNoFurtherThanItsSize) {
  SampleOrder order(1000, true, 3, 16);
  std::set<int64_t> rows;
  int64_t moved = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    const int64_t row = order.RowAt(i);
    EXPECT_LT(row, i + 16);
    moved += row != i ? 1 : 0;
    rows.insert(row);
  }
  EXPECT_EQ(rows.size(), 1000U);
  EXPECT_GT(moved, 800);
}

TEST(SampleOrderTest, InOrderWithoutShuffle) {
  SampleOrder order(5, false, 1);
  for (int64_t i = 0; i < 12; ++i) EXPECT_EQ(order.RowAt(i), i % 5);
}

}  // namespace
}  // namespace dfrun
