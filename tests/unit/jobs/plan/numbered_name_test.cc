#include "jobs/plan/numbered_name.h"

#include <gtest/gtest.h>

namespace dfrun::jobs {
namespace {

TEST(NumberedName, GoesOnByEqualSteps) {
  const std::optional<NumberedName> name = NumberedName::Of("replica_7/h1/W/_Recv_20", "replica_8/h1/W/_Recv_24");
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(name->OfCopy(0), "replica_8/h1/W/_Recv_24");
  EXPECT_EQ(name->OfCopy(1), "replica_9/h1/W/_Recv_28");
  EXPECT_EQ(name->OfCopy(100), "replica_108/h1/W/_Recv_424");
}

TEST(NumberedName, MayHaveNoNumbers) {
  const std::optional<NumberedName> name = NumberedName::Of("h1/W", "h1/W");
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(name->OfCopy(3), "h1/W");
}

TEST(NumberedName, GrowsByADigit) {
  const std::optional<NumberedName> name = NumberedName::Of("x_9", "x_10");
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(name->OfCopy(1), "x_11");
}

TEST(NumberedName, IsNoneOfOtherTexts) {
  EXPECT_FALSE(NumberedName::Of("h1/W", "h1/b").has_value());
  EXPECT_FALSE(NumberedName::Of("x", "x_1").has_value());
  EXPECT_FALSE(NumberedName::Of("x_1", "x").has_value());
  EXPECT_FALSE(NumberedName::Of("x_1y", "x_2z").has_value());
  EXPECT_FALSE(NumberedName::Of("x_3", "x_2").has_value());    // numbers fall
  EXPECT_FALSE(NumberedName::Of("x_07", "x_08").has_value());  // zeros tell no number of digits
  EXPECT_FALSE(NumberedName::Of("x_1", "x_99999999999999999999").has_value());
}

}  // namespace
}  // namespace dfrun::jobs
