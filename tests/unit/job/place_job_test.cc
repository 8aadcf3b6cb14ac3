#include "src/job/place_job.h"

#include <gtest/gtest.h>

namespace dfrun {
namespace {

TEST(RanksPerHost, AreThoseOfEachHost) {
  EXPECT_EQ(RanksPerHost({}), 0);
  EXPECT_EQ(RanksPerHost({"a"}), 1);
  EXPECT_EQ(RanksPerHost({"a", "a", "a"}), 3);
  EXPECT_EQ(RanksPerHost({"a", "a", "b", "b"}), 2);
  EXPECT_EQ(RanksPerHost({"a", "b", "c"}), 1);
}

// Hosts of different sizes count as one.
TEST(RanksPerHost, AreAllWhereHostsDiffer) {
  EXPECT_EQ(RanksPerHost({"a", "b", "a", "b"}), 1);
  EXPECT_EQ(RanksPerHost({"a", "a", "b", "c"}), 4);
}

}  // namespace
}  // namespace dfrun
